// Streams and bodies nobody should send: whatever comes, a right event sequence or a clear fault, no crash.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Fault } from '@floe/contract/faults';
import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import fc from 'fast-check';
import { accumulateResponse } from '../src/canonical-response.ts';
import { CLIENT_DIALECTS, UPSTREAM_DIALECTS } from '../src/dialects.ts';
import { isJsonArray, tryParseJson } from '../src/json-narrowing.ts';
import type { ResponseEvent } from '../src/response-events.ts';
import type { SseEvent } from '../src/sse.ts';
import { arbitraryRequests } from './arbitrary-conversations.ts';
import type { RecordedDialect } from './recordings.ts';
import { RECORDED_STREAMS } from './samples.ts';
import { assertStrictStream } from './strictness.ts';
import { ANSWER_READ_OPTIONS, assertEventGrammar, CLIENT_NAMES, createAnswerContext } from './translate.ts';

const numRuns = process.env.FLOE_TEST_FULL === '1' ? 20_000 : 1_500;
const junk: fc.Arbitrary<Json> = fc.constantFrom<Json>(
  null,
  0,
  -1,
  1e99,
  true,
  '',
  'x',
  [],
  {},
  [null],
  [7],
  { type: 'x' },
  'tool_use',
  '__proto__',
);

const framesIn = (body: string): SseEvent[] =>
  body.split(/\r?\n\r?\n/).flatMap((frame) => {
    const data = /^data: (.*)$/m.exec(frame)?.[1];
    return data === undefined ? [] : [{ event: /^event: (.*)$/m.exec(frame)?.[1] ?? 'message', data }];
  });
const streams = RECORDED_STREAMS.map(({ dialect, scenario, sse }) => ({
  dialect,
  scenario,
  frames: framesIn(sse.toString('utf8')),
}));

/** Replaces the `at`-th value met in a walk of the tree. */
function withJunk(value: Json, at: number, replacement: Json): Json {
  let left = at;
  const walk = (node: Json): Json => {
    left -= 1;
    if (left === 0) return replacement;
    if (isJsonArray(node)) return node.map(walk);
    if (!isJsonObject(node)) return node;
    return Object.fromEntries(Object.entries(node).map(([key, inner]) => [key, walk(inner ?? null)]));
  };
  return walk(value);
}

function readAll(dialect: RecordedDialect, frames: readonly SseEvent[]): ResponseEvent[] {
  const events: ResponseEvent[] = [];
  const reader = UPSTREAM_DIALECTS[dialect].createResponseReader(
    (event) => events.push(event),
    ANSWER_READ_OPTIONS,
  );
  for (const frame of frames) reader.read(frame);
  reader.end();
  return events;
}

describe('streams', () => {
  test('frames lost, doubled, swapped or spoilt never crash a reader or break a client’s grammar', () => {
    const spoils = fc.array(
      fc.record({
        kind: fc.constantFrom('drop', 'double', 'swap', 'junk', 'text'),
        at: fc.nat(40),
        deep: fc.integer({ min: 1, max: 40 }),
        value: junk,
      }),
      { minLength: 1, maxLength: 4 },
    );
    fc.assert(
      fc.property(fc.constantFrom(...streams), spoils, ({ dialect, frames }, changes) => {
        const spoilt = [...frames];
        for (const { kind, at, deep, value } of changes) {
          const index = at % Math.max(spoilt.length, 1);
          const frame = spoilt[index];
          if (frame === undefined) continue;
          if (kind === 'drop') spoilt.splice(index, 1);
          else if (kind === 'double') spoilt.splice(index, 0, frame);
          else if (kind === 'swap')
            spoilt.splice(Math.max(index - 1, 0), 2, frame, ...spoilt.slice(Math.max(index - 1, 0), index));
          else if (kind === 'text') spoilt[index] = { ...frame, data: frame.data.slice(0, deep) };
          else
            spoilt[index] = {
              ...frame,
              data: JSON.stringify(withJunk(tryParseJson(frame.data) ?? null, deep, value)),
            };
        }
        const events = readAll(dialect, spoilt);
        assertEventGrammar(events);
        for (const client of CLIENT_NAMES) {
          const writer = CLIENT_DIALECTS[client].createResponseWriter(createAnswerContext());
          const sse = events.map((event) => writer.write(event)).join('');
          assert.equal(assertStrictStream(client, sse), accumulateResponse(events).fault !== undefined);
        }
      }),
      { numRuns },
    );
  });

  test('whole answers of any JSON give an answer or a fault', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('chat', 'responses', 'messages', 'gemini'),
        fc.jsonValue(),
        (dialect, value) => {
          const json = tryParseJson(JSON.stringify(value)) ?? null;
          const answer = UPSTREAM_DIALECTS[dialect].readCompleteResponse(json, ANSWER_READ_OPTIONS);
          assert.ok(answer.fault !== undefined || answer.finish !== undefined);
        },
      ),
      { numRuns },
    );
  });
});

describe('requests', () => {
  test('a body spoilt anywhere is read or refused with 400, and what is read can be written', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...CLIENT_NAMES),
        arbitraryRequests(true),
        fc.array(fc.record({ at: fc.integer({ min: 2, max: 120 }), value: junk }), {
          minLength: 1,
          maxLength: 3,
        }),
        (dialect, ask, changes) => {
          let body: Json = JSON.parse(
            JSON.stringify(CLIENT_DIALECTS[dialect].writeRequest(ask, { tools: ['freeform'] }).body),
          );
          for (const { at, value } of changes) body = withJunk(body, at, value);
          if (!isJsonObject(body)) return;
          writeEverywhere(dialect, body);
        },
      ),
      { numRuns },
    );
  });
});

function writeEverywhere(dialect: (typeof CLIENT_NAMES)[number], body: JsonObject): void {
  try {
    const ask = CLIENT_DIALECTS[dialect].readRequest(body);
    for (const upstream of ['chat', 'responses', 'messages', 'gemini'] as const) {
      const { body: written } = UPSTREAM_DIALECTS[upstream].writeRequest(ask);
      assert.equal(typeof JSON.stringify(written), 'string');
    }
  } catch (error) {
    assert.ok(error instanceof Fault && error.status === 400, String(error));
  }
}
