import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isObject } from '@floe/contract/json';
import fc from 'fast-check';
import { collect } from '../src/answer.ts';
import type { UpstreamOptions } from '../src/dialect.ts';
import { CLIENT_DIALECTS, UPSTREAM_DIALECTS } from '../src/dialects.ts';
import { parseJson } from '../src/json-read.ts';
import { asks, streams } from './arbitrary.ts';
import { sameConversation } from './same-conversation.ts';
import { CLIENTS, checkEvents, contextFor, translateStream, translateWhole } from './translate.ts';
import { checkBody } from './upstream-rules.ts';

const numRuns = process.env.FLOE_TEST_FULL === '1' ? 5_000 : 250;
const OPTIONS: UpstreamOptions = {
  tools: ['freeform', 'strict'],
  hints: ['user', 'metadata', 'cache-key', 'service-tier', 'verbosity', 'seed', 'cache-mark'],
  messages: ['system-in-place'],
};

describe('requests', () => {
  for (const dialect of CLIENTS)
    test(`${dialect}: writing, reading and writing again gives the same request, and the same meaning`, () => {
      fc.assert(
        fc.property(asks(dialect !== 'messages'), (ask) => {
          const { body, dropped } = CLIENT_DIALECTS[dialect].writeAsk(ask, OPTIONS);
          const sent = parseJson(JSON.stringify(body));
          assert.ok(isObject(sent));
          const back = CLIENT_DIALECTS[dialect].readAsk(sent);
          assert.deepEqual(back.dropped, []);
          sameConversation(ask, back, dropped);
          const again = parseJson(JSON.stringify(CLIENT_DIALECTS[dialect].writeAsk(back, OPTIONS).body));
          assert.deepEqual(again, sent);
        }),
        { numRuns },
      );
    });

  for (const dialect of ['chat', 'responses', 'messages', 'gemini', 'converse', 'cohere'] as const)
    test(`${dialect}: no request is one that providers refuse for its shape`, () => {
      fc.assert(
        fc.property(asks(true), (ask) => {
          const sent = parseJson(JSON.stringify(UPSTREAM_DIALECTS[dialect].writeAsk(ask).body));
          assert.ok(isObject(sent));
          checkBody(dialect, sent);
        }),
        { numRuns },
      );
    });
});

describe('answers', () => {
  for (const client of CLIENTS) {
    test(`${client}: any stream, its blocks in any order, satisfies the strictest reader and says the same`, () => {
      fc.assert(
        fc.property(streams, (events) => {
          checkEvents(events);
          translateStream(events, client);
          translateStream(events, client, contextFor({ sealOrigin: 'cred1' }));
        }),
        { numRuns },
      );
    });

    test(`${client}: a whole answer says what its stream says`, () => {
      fc.assert(
        fc.property(streams, (events) => {
          translateWhole(collect(events), client);
        }),
        { numRuns },
      );
    });
  }
});
