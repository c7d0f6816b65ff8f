// Runs one recorded or made-up answer through the dialects, and states what must survive.
import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import type { Json, JsonObject } from '@floe/contract/json';
import { adaptResponseForClient } from '../src/adapt-for-client.ts';
import { accumulateResponse, type CanonicalResponse, toResponseEvents } from '../src/canonical-response.ts';
import { AwsEventStreamTranscoder } from '../src/converse/aws-event-stream.ts';
import type { ResponseReadOptions, ResponseWriteContext } from '../src/dialect.ts';
import { CLIENT_DIALECTS, UPSTREAM_DIALECTS } from '../src/dialects.ts';
import type { CanonicalRequest } from '../src/request.ts';
import type { ResponseEvent } from '../src/response-events.ts';
import { isPackedSeal, unpackSeal } from '../src/seal.ts';
import { parseSseFrame, SseFramer } from '../src/sse.ts';
import type { RecordedDialect } from './recordings.ts';
import { assertStrictStream, parseStrictFrames } from './strictness.ts';

export type ClientName = keyof typeof CLIENT_DIALECTS;
export const CLIENT_NAMES: readonly ClientName[] = ['chat', 'responses', 'messages'];
export const ANSWER_READ_OPTIONS: ResponseReadOptions = { id: 'X1', sealOrigin: 'cred1' };

export function emptyRequest(change: Partial<CanonicalRequest> = {}): CanonicalRequest {
  return {
    dialect: 'chat',
    model: 'lab/model',
    stream: true,
    streamUsage: true,
    system: [],
    turns: [],
    tools: [],
    stop: [],
    sampling: {},
    requiredFeatures: new Map(),
    dropped: [],
    ...change,
  };
}

export function createAnswerContext(change: Partial<ResponseWriteContext> = {}): ResponseWriteContext {
  return {
    request: emptyRequest(),
    id: 'X1',
    requestId: 'req_1',
    createdS: 1_800_000_000,
    nowS: () => 1_800_000_005,
    ...change,
  };
}

/** The events of a streamed answer cut into pieces of `size` bytes. */
export function readStreamEvents(
  dialect: RecordedDialect,
  body: Buffer,
  size: number,
  options = ANSWER_READ_OPTIONS,
): ResponseEvent[] {
  const events: ResponseEvent[] = [];
  const reader = UPSTREAM_DIALECTS[dialect].createResponseReader((event) => events.push(event), options);
  const framer = new SseFramer();
  const transcoder = dialect === 'converse' ? new AwsEventStreamTranscoder() : undefined;
  const pieces = (chunk: Buffer): void => {
    const { sse: buffer, fault } = transcoder?.push(chunk) ?? { sse: chunk, fault: undefined };
    assert.equal(fault, undefined);
    const { bytes, lead, ends } = framer.push(buffer);
    let from = lead;
    for (const end of ends) {
      const frame = parseSseFrame(bytes.subarray(from, end));
      if (frame) reader.read(frame);
      from = end;
    }
  };
  for (let at = 0; at < body.length; at += size) pieces(body.subarray(at, at + size));
  if (framer.rest().length > 0) pieces(Buffer.from('\n\n'));
  assert.equal(transcoder?.rest ?? 0, 0);
  reader.end();
  return events;
}

/** Grammar of the event sequence itself. */
export function assertEventGrammar(events: readonly ResponseEvent[]): void {
  const open = new Set<number>();
  let last: string | undefined;
  for (const event of events) {
    assert.notEqual(last, 'finish', 'nothing follows the finish');
    assert.notEqual(last, 'error', 'nothing follows the error');
    if (event.type === 'open') {
      assert.ok(!open.has(event.block));
      open.add(event.block);
      if (event.kind === 'tool') assert.ok(event.id && event.name, 'a call has id and name');
    }
    if (event.type === 'delta' || event.type === 'close')
      assert.ok(open.has(event.block), 'blocks open first');
    if (event.type === 'close') open.delete(event.block);
    if (event.type === 'finish') assert.equal(open.size, 0, 'every block closes before the finish');
    last = event.type;
  }
  assert.ok(last === 'finish' || last === 'error', `ends with finish or error, not ${last}`);
}

export interface TranslatedStream {
  readonly failed: boolean;
  readonly sse: string;
  readonly dropped: ReadonlySet<string>;
}

/** Writes the events for a client, checks the stream by the strictness matrix and reads it back. */
export function translateStream(
  events: readonly ResponseEvent[],
  client: ClientName,
  context = createAnswerContext(),
): TranslatedStream {
  const writer = CLIENT_DIALECTS[client].createResponseWriter(context);
  const sse = events.map((event) => writer.write(event)).join('');
  const failed = assertStrictStream(client, sse);
  const source = accumulateResponse(events);
  assert.equal(failed, source.fault !== undefined, 'an error stays an error, a finish a finish');
  if (!failed) {
    const back: ResponseEvent[] = [];
    const reader = CLIENT_DIALECTS[client].createResponseReader(
      (event) => back.push(event),
      ANSWER_READ_OPTIONS,
    );
    for (const frame of parseStrictFrames(sse)) reader.read(frame);
    reader.end();
    assertEventGrammar(back);
    assertConserved(source, { answer: accumulateResponse(back), dropped: writer.dropped }, client, context);
  }
  return { failed, sse, dropped: writer.dropped };
}

/** Writes the whole answer for a client and reads it back. */
export function translateWhole(
  answer: CanonicalResponse,
  client: ClientName,
  context = createAnswerContext(),
): JsonObject {
  const { body, dropped } = CLIENT_DIALECTS[client].writeCompleteResponse(answer, context);
  const json: Json = JSON.parse(JSON.stringify(body));
  const back = CLIENT_DIALECTS[client].readCompleteResponse(json, ANSWER_READ_OPTIONS);
  assert.equal(back.fault, undefined);
  assertConserved(answer, { answer: back, dropped }, client, context);
  return body;
}

/** An answer that was written for a client and read back, and what its writer says it left out. */
interface ReadBack {
  readonly answer: CanonicalResponse;
  readonly dropped: ReadonlySet<string>;
}

function assertConserved(
  source: CanonicalResponse,
  { answer: back, dropped }: ReadBack,
  client: ClientName,
  context: ResponseWriteContext,
): void {
  const sent = adaptResponseForClient(source, context.request);
  const said = (answer: CanonicalResponse, kind: string): string =>
    answer.blocks.map((block) => (block.kind === kind ? block.text : '')).join('');
  const calls = (answer: CanonicalResponse): unknown[] =>
    answer.blocks.flatMap((block) =>
      block.kind === 'tool' ? [[block.id, block.name, sameArguments(block.text, client)]] : [],
    );
  if (client === 'messages')
    assert.equal(
      said(back, 'text'),
      sent.blocks.map((b) => (b.kind === 'text' || b.kind === 'refusal' ? b.text : '')).join(''),
    );
  else {
    assert.equal(said(back, 'text'), said(sent, 'text'), 'text');
    assert.equal(said(back, 'refusal'), said(sent, 'refusal'), 'refusal');
  }
  assert.deepEqual(calls(back), calls(sent), 'calls');
  const reasoning = said(sent, 'reasoning');
  if (client === 'chat' && context.chatReasoning !== 'forward') {
    assert.equal(said(back, 'reasoning'), '', 'Chat carries no reasoning');
    assert.equal(dropped.has('reasoning'), reasoning !== '', 'and says so');
  } else assert.equal(said(back, 'reasoning'), reasoning, 'reasoning');
  assertSealsConserved(sent, { answer: back, dropped }, client, context);
  for (const what of source.dropped) assert.ok(dropped.has(what), `${what} is reported`);
  // A response that can be incomplete does not look complete to any client.
  const reason = sent.finish?.reason === 'other' ? 'length' : sent.finish?.reason;
  const worded =
    client === 'messages' && said(sent, 'refusal') !== '' && reason === 'stop' ? 'refusal' : reason;
  const paused = back.finish?.raw === 'pause_turn' ? 'length' : back.finish?.reason;
  assert.equal(paused, worded, 'finish');
  assertUsageConserved(sent, back);
}

function sameArguments(text: string, client: ClientName): unknown {
  if (text === '') return '{}';
  return client === 'messages' ? JSON.stringify(JSON.parse(text)) : text;
}

function assertSealsConserved(
  sent: CanonicalResponse,
  { answer: back, dropped }: ReadBack,
  client: ClientName,
  context: ResponseWriteContext,
): void {
  const seals = (answer: CanonicalResponse) =>
    answer.blocks.flatMap((b) => (b.kind === 'reasoning' && b.seal ? [b.seal] : []));
  const expected = seals(sent);
  if (client === 'chat') {
    assert.equal(dropped.has('reasoning.seal'), expected.length > 0, 'a lost seal is reported');
    return;
  }
  const shown = seals(back);
  const foreign = expected.filter((seal) => seal.dialect !== client);
  if (context.sealOrigin === undefined) {
    assert.ok(shown.every((seal) => !isPackedSeal(seal.value)));
    assert.equal(dropped.has('reasoning.seal'), foreign.length > 0, 'a foreign seal is reported');
    const own = expected.filter((seal) => seal.dialect === client).map((seal) => seal.value);
    assert.deepEqual(
      shown.map((seal) => seal.value),
      own,
    );
  } else {
    const values = shown.map((seal) => unpackSeal(seal.value, client).value);
    assert.deepEqual(
      values,
      expected.map((seal) => seal.value),
      'seals come back byte-equal',
    );
  }
}

function assertUsageConserved(sent: CanonicalResponse, back: CanonicalResponse): void {
  const whole = (answer: CanonicalResponse) => ({
    input: answer.usage?.units.input ?? 0,
    cached: answer.usage?.units.cached ?? 0,
    cache_write: answer.usage?.units.cache_write ?? 0,
    // Messages requires a count, so one that the provider did not report is estimated.
    output: sent.usage?.units.output === undefined ? 0 : (answer.usage?.units.output ?? 0),
    reasoning: answer.usage?.units.reasoning ?? 0,
  });
  assert.deepEqual(whole(back), whole(sent), 'usage');
}

export { accumulateResponse, toResponseEvents };
