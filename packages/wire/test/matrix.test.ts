// Every recorded answer × every client dialect × several chunkings: what one says, all say.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { Fault } from '@floe/contract/faults';
import type { Json } from '@floe/contract/json';
import { accumulateResponse, toResponseEvents } from '../src/canonical-response.ts';
import { UPSTREAM_DIALECTS } from '../src/dialects.ts';
import { tryParseJson } from '../src/json-narrowing.ts';
import type { ResponseEvent } from '../src/response-events.ts';
import { allRecordings, type RecordedDialect, type RecordedExchange, recordedDialect } from './recordings.ts';
import {
  ANSWER_READ_OPTIONS,
  assertEventGrammar,
  CLIENT_NAMES,
  createAnswerContext,
  readStreamEvents,
  translateStream,
  translateWhole,
} from './translate.ts';

interface Row {
  readonly provider: string;
  readonly scenario: string;
  readonly outcome: string;
}

const recordings = allRecordings();
const rows: Row[] = [];
const CHUNKINGS = [1 << 30, 997, 13];

describe('recorded answers in every client dialect', () => {
  for (const recording of recordings) {
    const dialect = recordedDialect(recording);
    if (dialect === undefined) continue;
    test(`${dialect} ${recording.name}`, () => {
      const outcome = recording.status >= 400 ? error(recording, dialect) : answer(recording, dialect);
      rows.push({ provider: recording.provider, scenario: recording.name, outcome });
    });
  }

  test('recordings of every dialect are there', () => {
    const counted = Map.groupBy(recordings, recordedDialect);
    for (const dialect of ['chat', 'responses', 'messages', 'gemini', 'converse', 'cohere'] as const)
      assert.ok((counted.get(dialect)?.length ?? 0) >= 10, dialect);
  });

  after(() => {
    const width = Math.max(...rows.map((row) => row.scenario.length));
    for (const row of rows)
      process.stdout.write(`${row.provider.padEnd(18)} ${row.scenario.padEnd(width)} ${row.outcome}\n`);
    const answers = rows.filter((row) => row.outcome.includes('chat'));
    process.stdout.write(
      `${rows.length} recordings, ${answers.length} answers × ${CLIENT_NAMES.length} client dialects\n`,
    );
  });
});

function error(recording: RecordedExchange, dialect: RecordedDialect): string {
  const { status, body } = recording;
  const fault = UPSTREAM_DIALECTS[dialect].readFault(status, {}, body.toString('utf8'));
  assert.notEqual(fault.message, '');
  return `${status} ${fault.kind}: ${fault.message.slice(0, 60).replaceAll('\n', ' ')}`;
}

function answer(recording: RecordedExchange, dialect: RecordedDialect): string {
  const text = recording.body.toString('utf8');
  const options = { ...ANSWER_READ_OPTIONS, thinkTags: true };
  if (!recording.readable) {
    if (recording.stream)
      assert.throws(() => readStreamEvents(dialect, recording.body, 1 << 30, options), Fault);
    return 'unreadable';
  }
  const events = recording.stream
    ? readStreamEvents(dialect, recording.body, 1 << 30, options)
    : [
        ...toResponseEvents(
          UPSTREAM_DIALECTS[dialect].readCompleteResponse(tryParseJson(text) ?? null, options),
        ),
      ];
  assertEventGrammar(events);
  if (recording.stream)
    for (const size of CHUNKINGS)
      assert.deepEqual(
        JSON.stringify(readStreamEvents(dialect, recording.body, size, options)),
        JSON.stringify(events),
      );
  hostedToolsAreReported(text, new Set(accumulateResponse(events).dropped));
  proofsAreKept(text, events);
  const cells = CLIENT_NAMES.map((client) => {
    const packed = translateStream(events, client, createAnswerContext({ sealOrigin: 'cred1' }));
    const { failed, dropped } = translateStream(events, client);
    if (!failed) translateWhole(accumulateResponse(events), client);
    assert.equal(packed.failed, failed);
    return `${client} ${failed ? 'error' : dropped.size === 0 ? 'ok' : `-${[...dropped].join(',')}`}`;
  });
  return cells.join(' | ');
}

/** Proofs of reasoning come through to the last letter, in whatever pieces they came. */
function proofsAreKept(text: string, events: readonly ResponseEvent[]): void {
  const kept = events.map((event) => (event.type === 'close' ? (event.seal?.value ?? '') : '')).join('\n');
  for (const [, proof = ''] of text.matchAll(/"(?:signature|thoughtSignature|redactedContent)": ?"([^"]+)"/g))
    assert.ok(kept.includes(proof), `${proof.slice(0, 40)} is kept`);
}

/** A provider's own tool is named among the drops, never half-translated in silence. */
function hostedToolsAreReported(text: string, dropped: ReadonlySet<string>): void {
  const traces = text.matchAll(
    /"type": ?"((?:web_search|file_search|code_interpreter|mcp|image_generation|computer)_call|mcp_list_tools|server_tool_use|mcp_tool_use|\w+_tool_result)"/g,
  );
  for (const [, trace = ''] of traces) assert.ok(dropped.has(trace), `${trace} is reported as dropped`);
}

export type { Json };
