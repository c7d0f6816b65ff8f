// Every request a translation writes fits the schema of the dialect it is written in: our own, and the official one.
// Tier: ci. Thousands of requests against the official schemas.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Fault } from '@floe/contract/faults';
import { isJsonObject, type Json } from '@floe/contract/json';
import { REQUEST_FEATURES } from '@floe/testkit/request-features';
import { findRequestViolations } from '@floe/testkit/request-schemas';
import fc from 'fast-check';
import { CLIENT_DIALECTS, UPSTREAM_DIALECTS } from '../src/dialects.ts';
import { tryParseJson } from '../src/json-narrowing.ts';
import { type CanonicalRequest, listUnsupportedFeatures } from '../src/request.ts';
import { arbitraryRequests } from './arbitrary-conversations.ts';
import { WRITE_OPTION_SETS } from './provider-options.ts';
import { allRecordings, recordedDialect } from './recordings.ts';

const UPSTREAMS = ['chat', 'responses', 'messages', 'gemini', 'converse'] as const;

/** Breaches of everything this request is written as. */
function breaches(ask: CanonicalRequest): string[] {
  return UPSTREAMS.flatMap((upstream) =>
    Object.entries(WRITE_OPTION_SETS).flatMap(([provider, options]) => {
      if (listUnsupportedFeatures(ask, UPSTREAM_DIALECTS[upstream].supportedFeatures).length > 0) return [];
      const written = unlessRefused(() => UPSTREAM_DIALECTS[upstream].writeRequest(ask, options));
      if (!written) return [];
      const sent = tryParseJson(JSON.stringify(written.body)) ?? null;
      return findRequestViolations(upstream, sent).map((breach) => `${provider} ${upstream}: ${breach}`);
    }),
  );
}

function unlessRefused<Value>(make: () => Value): Value | undefined {
  try {
    return make();
  } catch (error) {
    assert.ok(error instanceof Fault && error.status === 400, String(error));
    return undefined;
  }
}

describe('translated requests fit the schemas of their dialects', () => {
  for (const { client, name, body } of REQUEST_FEATURES)
    test(`${client}: ${name}`, () => {
      const ask = unlessRefused(() => CLIENT_DIALECTS[client].readRequest(body));
      if (ask) assert.deepEqual(breaches(ask), []);
    });

  test('any conversation', () => {
    fc.assert(
      fc.property(arbitraryRequests(true), (ask) => {
        // As a reader would have said it.
        const needs = new Map(
          JSON.stringify(ask.turns).includes('"url"') ? [['image-url', 'x'] as const] : [],
        );
        assert.deepEqual(breaches({ ...ask, requiredFeatures: needs }), []);
      }),
      { numRuns: process.env['FLOE_TEST_FULL'] === '1' ? 2_000 : 60 },
    );
  });

  test('every recorded request', (t) => {
    let count = 0;
    for (const recording of allRecordings()) {
      const dialect = recordedDialect(recording);
      if (dialect !== 'chat' && dialect !== 'responses' && dialect !== 'messages') continue;
      const { request } = recording;
      if (!isJsonObject(request) || recording.status >= 400) continue;
      const ask = unlessRefused(() => CLIENT_DIALECTS[dialect].readRequest(request));
      if (!ask) continue;
      count += 1;
      assert.deepEqual(breaches(ask), [], recording.name);
    }
    t.diagnostic(`${count} requests`);
    assert.ok(count > 70);
  });
});

test('the schemas find what is wrong', () => {
  const asked = { role: 'user', content: 'hi' };
  const wrong: readonly (readonly [(typeof UPSTREAMS)[number], Json])[] = [
    ['chat', { model: 'm', messages: [asked], stop: ['a', 'b', 'c', 'd', 'e'] }],
    ['responses', { model: 'm', input: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }] }],
    [
      'messages',
      {
        model: 'm',
        max_tokens: 9,
        messages: [
          {
            role: 'user',
            content: [
              { type: 'document', source: { type: 'base64', media_type: 'text/plain', data: 'aGk=' } },
            ],
          },
        ],
      },
    ],
    ['gemini', { contents: [{ role: 'user', parts: [{ text: 7 }] }] }],
    ['converse', { messages: [{ role: 'user', content: [{ text: 'hi', image: {} }] }] }],
  ];
  for (const [upstream, body] of wrong)
    assert.notDeepEqual(findRequestViolations(upstream, body), [], upstream);
});
