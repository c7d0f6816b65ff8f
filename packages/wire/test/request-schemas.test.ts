// Every request a translation writes fits the schema of the dialect it is written in: our own, and the official one.
// Tier: ci. Thousands of requests against the official schemas.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Fault } from '@floe/contract/faults';
import { isObject, type Json } from '@floe/contract/json';
import { FEATURES } from '@floe/testkit/features';
import { requestViolations } from '@floe/testkit/request-schemas';
import fc from 'fast-check';
import { CLIENT_DIALECTS, UPSTREAM_DIALECTS } from '../src/dialects.ts';
import { parseJson } from '../src/json-read.ts';
import { type Ask, uncarried } from '../src/request.ts';
import { asks } from './arbitrary.ts';
import { PROVIDERS } from './provider-options.ts';
import { allRecordings, dialectOf } from './recordings.ts';

const UPSTREAMS = ['chat', 'responses', 'messages', 'gemini', 'converse'] as const;

/** Breaches of everything this request is written as. */
function breaches(ask: Ask): string[] {
  return UPSTREAMS.flatMap((upstream) =>
    Object.entries(PROVIDERS).flatMap(([provider, options]) => {
      if (uncarried(ask, UPSTREAM_DIALECTS[upstream].carries).length > 0) return [];
      const written = unlessRefused(() => UPSTREAM_DIALECTS[upstream].writeAsk(ask, options));
      if (!written) return [];
      const sent = parseJson(JSON.stringify(written.body)) ?? null;
      return requestViolations(upstream, sent).map((breach) => `${provider} ${upstream}: ${breach}`);
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
  for (const { client, name, body } of FEATURES)
    test(`${client}: ${name}`, () => {
      const ask = unlessRefused(() => CLIENT_DIALECTS[client].readAsk(body));
      if (ask) assert.deepEqual(breaches(ask), []);
    });

  test('any conversation', () => {
    fc.assert(
      fc.property(asks(true), (ask) => {
        // As a reader would have said it.
        const needs = new Map(
          JSON.stringify(ask.turns).includes('"url"') ? [['image-url', 'x'] as const] : [],
        );
        assert.deepEqual(breaches({ ...ask, needs }), []);
      }),
      { numRuns: process.env['FLOE_TEST_FULL'] === '1' ? 2_000 : 60 },
    );
  });

  test('every recorded request', (t) => {
    let count = 0;
    for (const recording of allRecordings()) {
      const dialect = dialectOf(recording);
      if (dialect !== 'chat' && dialect !== 'responses' && dialect !== 'messages') continue;
      const { request } = recording;
      if (!isObject(request) || recording.status >= 400) continue;
      const ask = unlessRefused(() => CLIENT_DIALECTS[dialect].readAsk(request));
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
  for (const [upstream, body] of wrong) assert.notDeepEqual(requestViolations(upstream, body), [], upstream);
});
