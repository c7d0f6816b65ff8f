import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isJsonObject } from '@floe/contract/json';
import fc from 'fast-check';
import { accumulateResponse } from '../src/canonical-response.ts';
import type { RequestWriteOptions } from '../src/dialect.ts';
import { CLIENT_DIALECTS, UPSTREAM_DIALECTS } from '../src/dialects.ts';
import { tryParseJson } from '../src/json-narrowing.ts';
import { arbitraryAnswerStreams, arbitraryRequests } from './arbitrary-conversations.ts';
import { assertSameConversation } from './same-conversation.ts';
import {
  assertEventGrammar,
  CLIENT_NAMES,
  createAnswerContext,
  translateStream,
  translateWhole,
} from './translate.ts';
import { assertAcceptedBody } from './upstream-rules.ts';

const numRuns = process.env.FLOE_TEST_FULL === '1' ? 5_000 : 250;
const OPTIONS: RequestWriteOptions = {
  tools: ['freeform', 'strict'],
  hints: ['user', 'metadata', 'cache-key', 'service-tier', 'verbosity', 'seed', 'cache-mark'],
  messages: ['system-in-place'],
};

describe('requests', () => {
  for (const dialect of CLIENT_NAMES)
    test(`${dialect}: writing, reading and writing again gives the same request, and the same meaning`, () => {
      fc.assert(
        fc.property(arbitraryRequests(dialect !== 'messages'), (ask) => {
          const { body, dropped } = CLIENT_DIALECTS[dialect].writeRequest(ask, OPTIONS);
          const sent = tryParseJson(JSON.stringify(body));
          assert.ok(isJsonObject(sent));
          const back = CLIENT_DIALECTS[dialect].readRequest(sent);
          assert.deepEqual(back.dropped, []);
          assertSameConversation(ask, back, dropped);
          const again = tryParseJson(
            JSON.stringify(CLIENT_DIALECTS[dialect].writeRequest(back, OPTIONS).body),
          );
          assert.deepEqual(again, sent);
        }),
        { numRuns },
      );
    });

  for (const dialect of ['chat', 'responses', 'messages', 'gemini', 'converse', 'cohere'] as const)
    test(`${dialect}: no request is one that providers refuse for its shape`, () => {
      fc.assert(
        fc.property(arbitraryRequests(true), (ask) => {
          const sent = tryParseJson(JSON.stringify(UPSTREAM_DIALECTS[dialect].writeRequest(ask).body));
          assert.ok(isJsonObject(sent));
          assertAcceptedBody(dialect, sent);
        }),
        { numRuns },
      );
    });
});

describe('answers', () => {
  for (const client of CLIENT_NAMES) {
    test(`${client}: any stream, its blocks in any order, satisfies the strictest reader and says the same`, () => {
      fc.assert(
        fc.property(arbitraryAnswerStreams, (events) => {
          assertEventGrammar(events);
          translateStream(events, client);
          translateStream(events, client, createAnswerContext({ sealOrigin: 'cred1' }));
        }),
        { numRuns },
      );
    });

    test(`${client}: a whole answer says what its stream says`, () => {
      fc.assert(
        fc.property(arbitraryAnswerStreams, (events) => {
          translateWhole(accumulateResponse(events), client);
        }),
        { numRuns },
      );
    });
  }
});
