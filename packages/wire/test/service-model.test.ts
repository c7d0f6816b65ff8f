// Converse requests against our schema and the service's own published model, member by member.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import { findRequestViolations } from '@floe/testkit/request-schemas';
import fc from 'fast-check';
import { CLIENT_DIALECTS, UPSTREAM_DIALECTS } from '../src/dialects.ts';
import { tryParseJson } from '../src/json-narrowing.ts';
import { listUnsupportedFeatures } from '../src/request.ts';
import { arbitraryRequests } from './arbitrary-conversations.ts';
import { allRecordings, recordedDialect } from './recordings.ts';

const OPTIONS = {
  hints: ['cache-mark', 'metadata', 'service-tier'],
  tools: ['strict'],
  reasoningStyle: 'budget',
} as const;

function written(body: JsonObject): Json {
  return tryParseJson(JSON.stringify(body)) ?? null;
}

describe('Converse requests fit the model of the service', () => {
  test('whatever was asked', () => {
    fc.assert(
      fc.property(arbitraryRequests(false), (ask) => {
        // Media by address is refused before it comes here.
        fc.pre(!JSON.stringify(ask.turns).includes('"url"'));
        const { body } = UPSTREAM_DIALECTS.converse.writeRequest(ask, OPTIONS);
        assert.deepEqual(findRequestViolations('converse', written(body)), []);
      }),
      { numRuns: process.env['FLOE_TEST_FULL'] === '1' ? 3_000 : 200 },
    );
  });

  test('whatever was recorded', (t) => {
    let count = 0;
    for (const recording of allRecordings()) {
      const dialect = recordedDialect(recording);
      const body = recording.request;
      if ((dialect !== 'chat' && dialect !== 'responses' && dialect !== 'messages') || !isJsonObject(body))
        continue;
      const ask = readable(() => CLIENT_DIALECTS[dialect].readRequest(body));
      if (!ask || listUnsupportedFeatures(ask, UPSTREAM_DIALECTS.converse.supportedFeatures).length > 0)
        continue;
      const sent = UPSTREAM_DIALECTS.converse.writeRequest(ask, OPTIONS).body;
      assert.deepEqual(findRequestViolations('converse', written(sent)), [], recording.name);
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
