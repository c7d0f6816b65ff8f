import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import type { CanonicalResponse } from '../canonical-response.ts';
import { CLIENT_DIALECTS } from '../dialects.ts';
import type { FinishReason } from '../finish-reason.ts';
import { writeCompleteResponse } from './response-writer.ts';

const REQUEST = CLIENT_DIALECTS.responses.readRequest({ model: 'm', input: 'U', service_tier: 'flex' });
const CONTEXT = { request: REQUEST, id: 'X', requestId: 'r', createdS: 1, nowS: () => 2 };

function write(reason: FinishReason, rest: Partial<CanonicalResponse> = {}): JsonObject {
  const call = (id: string) => ({ kind: 'tool', id, name: 'f', freeform: false, text: '' }) as const;
  const finish = { reason, raw: reason };
  const answer = { id: '', model: '', blocks: [call('a'), call('b')], dropped: [], finish, ...rest };
  return writeCompleteResponse(answer, CONTEXT).body;
}

function callsOf(body: JsonObject): unknown[] {
  const output = body['output'];
  assert.ok(Array.isArray(output));
  return output.map((item) => isJsonObject(item) && [item['call_id'], item['status'], item['arguments']]);
}

test('the last call of a truncated response is incomplete, and its empty arguments stay empty', () => {
  for (const reason of ['length', 'refusal', 'other'] as const)
    assert.deepEqual(callsOf(write(reason)), [
      ['a', 'completed', '{}'],
      ['b', 'incomplete', ''],
    ]);
  assert.deepEqual(callsOf(write('tool')), [
    ['a', 'completed', '{}'],
    ['b', 'completed', '{}'],
  ]);
});

test('the service tier is the one that the provider reports', () => {
  const tierOf = (tier: string | undefined): unknown =>
    write('tool', { usage: { units: { input: 1 }, tier } })['service_tier'];
  assert.equal(tierOf('standard'), 'default');
  assert.equal(tierOf('priority'), 'priority');
  assert.equal(tierOf(undefined), 'flex', 'the requested one if the provider reports none');
  assert.equal(tierOf('provisioned'), 'flex', 'or one that this dialect does not have');
});
