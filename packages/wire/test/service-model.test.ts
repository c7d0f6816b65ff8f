// Converse requests against our schema and the service's own published model, member by member.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isObject, type Json, type JsonObject } from '@floe/contract/json';
import { requestViolations } from '@floe/testkit/request-schemas';
import fc from 'fast-check';
import { CLIENT_DIALECTS, UPSTREAM_DIALECTS } from '../src/dialects.ts';
import { parseJson } from '../src/json-read.ts';
import { uncarried } from '../src/request.ts';
import { asks } from './arbitrary.ts';
import { allRecordings, dialectOf } from './recordings.ts';

const OPTIONS = {
  hints: ['cache-mark', 'metadata', 'service-tier'],
  tools: ['strict'],
  think: 'budget',
} as const;

function written(body: JsonObject): Json {
  return parseJson(JSON.stringify(body)) ?? null;
}

describe('Converse requests fit the model of the service', () => {
  test('whatever was asked', () => {
    fc.assert(
      fc.property(asks(false), (ask) => {
        // Media by address is refused before it comes here.
        fc.pre(!JSON.stringify(ask.turns).includes('"url"'));
        const { body } = UPSTREAM_DIALECTS.converse.writeAsk(ask, OPTIONS);
        assert.deepEqual(requestViolations('converse', written(body)), []);
      }),
      { numRuns: process.env['FLOE_TEST_FULL'] === '1' ? 3_000 : 200 },
    );
  });

  test('whatever was recorded', (t) => {
    let count = 0;
    for (const recording of allRecordings()) {
      const dialect = dialectOf(recording);
      const body = recording.request;
      if ((dialect !== 'chat' && dialect !== 'responses' && dialect !== 'messages') || !isObject(body))
        continue;
      const ask = readable(() => CLIENT_DIALECTS[dialect].readAsk(body));
      if (!ask || uncarried(ask, UPSTREAM_DIALECTS.converse.carries).length > 0) continue;
      const sent = UPSTREAM_DIALECTS.converse.writeAsk(ask, OPTIONS).body;
      assert.deepEqual(requestViolations('converse', written(sent)), [], recording.name);
      count += 1;
    }
    t.diagnostic(`${count} requests`);
    assert.ok(count > 50);
  });
});

function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
