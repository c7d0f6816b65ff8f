import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { test } from 'node:test';
import { isJsonObject } from '@floe/contract/json';
import { chatRecordings, type RecordedExchange } from '../../test/recordings.ts';
import { parseSseFrame, SseFramer } from '../sse.ts';
import {
  MAX_FAST_PARSE_BYTES,
  parseSimpleChatResponse,
  prepareForwardedChatResponse,
  scanChatResponse,
} from './forward-response.ts';
import { type ChatForwardOptions, ChatStreamForwarder } from './stream-forwarder.ts';

const PLAIN: ChatForwardOptions = {
  stripReasoning: false,
  thinkTags: false,
  dropUsageFrame: false,
  choices: 1,
};
const STRIP: ChatForwardOptions = { ...PLAIN, stripReasoning: true };
const ALL: ChatForwardOptions = { stripReasoning: true, thinkTags: true, dropUsageFrame: true, choices: 1 };
const REASONING = ['reasoning_content', 'reasoning', 'reasoning_details', 'thinking', 'thinking_blocks'];

function forward(
  chunks: readonly Buffer[],
  options: ChatForwardOptions,
): { out: Buffer; stream: ChatStreamForwarder } {
  const stream = new ChatStreamForwarder(options);
  const out = Buffer.concat(chunks.map((chunk) => stream.push(chunk) ?? Buffer.alloc(0)));
  stream.end();
  return { out, stream };
}

function* chunkings(body: Buffer): Generator<Buffer[]> {
  yield [body];
  yield Array.from(body, (_, at) => body.subarray(at, at + 1));
  let seed = body.length;
  for (let round = 0; round < 3; round++) {
    const chunks: Buffer[] = [];
    for (let at = 0; at < body.length; ) {
      seed = (seed * 1103515245 + 12345) & 0x7fffffff;
      const next = at + 1 + (seed % (40 * 8 ** round));
      chunks.push(body.subarray(at, next));
      at = next;
    }
    yield chunks;
  }
}

function frames(body: Buffer): unknown[] {
  const { bytes, lead, ends } = new SseFramer().push(body);
  return ends.flatMap((end, at) => {
    const data = parseSseFrame(bytes.subarray(ends[at - 1] ?? lead, end))?.data;
    return data === undefined ? [] : [data === '[DONE]' ? data : JSON.parse(data)];
  });
}

/** The same chunk or answer without reasoning, by way of parsed values. */
function stripped(value: unknown): unknown {
  if (!isJsonObject(value) || !Array.isArray(value.choices)) return value;
  return { ...value, choices: value.choices.map(strippedChoice) };
}

function strippedChoice(choice: unknown): unknown {
  if (!isJsonObject(choice)) return choice;
  const strip = (message: unknown) => {
    if (!isJsonObject(message)) return message;
    const left = Object.entries(message).filter(([key]) => !REASONING.includes(key));
    return Object.fromEntries(
      left.map(([key, item]) => [
        key,
        key === 'content' && Array.isArray(item)
          ? item.map((part) => (isJsonObject(part) && part.type === 'text' ? part.text : '')).join('')
          : item,
      ]),
    );
  };
  return Object.fromEntries(
    Object.entries(choice).map(([key, item]) => [
      key,
      key === 'delta' || key === 'message' ? strip(item) : item,
    ]),
  );
}

function checkStream({ name, body, readable }: RecordedExchange): void {
  if (!readable) {
    assert(forward([body], PLAIN).stream.fault, name);
    return;
  }
  const values = frames(body);
  const hasError =
    /^event: error|^data: \{"error"/m.test(body.toString()) ||
    values.some(
      (value) => isJsonObject(value) && (isJsonObject(value.error) || typeof value.error === 'string'),
    );
  const plain = forward([body], PLAIN);
  assert.equal(plain.stream.fault !== undefined, hasError, `${name}: ${plain.stream.fault?.message}`);
  assert(body.subarray(0, plain.out.length).equals(plain.out), name);
  if (!hasError) {
    const framer = new SseFramer();
    framer.push(body);
    assert.equal(plain.out.length + framer.rest().length, body.length, name);
    assert(
      plain.stream.hasContent && plain.stream.finish !== undefined && plain.stream.model !== undefined,
      name,
    );
    const reported = values.some((value) => isJsonObject(value) && isJsonObject(value.usage));
    const { input = 0, output = 0 } = plain.stream.usage?.units ?? {};
    if (reported) assert(input > 0 && output > 0, name);
  }
  assert.deepEqual(frames(forward([body], STRIP).out), frames(plain.out).map(stripped), name);
  for (const options of [PLAIN, STRIP, ALL]) {
    const whole = forward([body], options);
    for (const chunks of chunkings(body)) {
      const cut = forward(chunks, options);
      assert(isSameStream(cut.out, whole.out), `${name}: chunking changed the bytes`);
      assert.deepEqual(
        [cut.stream.fault?.message, cut.stream.usage, cut.stream.finish, cut.stream.hasContent],
        [whole.stream.fault?.message, whole.stream.usage, whole.stream.finish, whole.stream.hasContent],
      );
    }
  }
}

/** To the byte; where a chunk ends between CR and LF, only the events: their blank lines may differ by that LF. */
function isSameStream(cut: Buffer, whole: Buffer): boolean {
  if (!whole.includes('\r\n')) return cut.equals(whole);
  return JSON.stringify(frames(cut)) === JSON.stringify(frames(whole));
}

function checkAnswer({ name, body, readable }: RecordedExchange): void {
  const value: unknown = JSON.parse(body.toString());
  const good = readable && isJsonObject(value) && Array.isArray(value.choices);
  const plain = prepareForwardedChatResponse(body, PLAIN);
  assert.equal(plain.fault === undefined, good, `${name}: ${plain.fault?.message}`);
  assert(plain.body.equals(body), name);
  // Longer ones are never read so.
  for (let end = body.length <= MAX_FAST_PARSE_BYTES ? body.length : 0; end > 0; end -= 1) {
    const cut = body.subarray(0, end);
    for (const options of [PLAIN, STRIP, ALL]) {
      const read = parseSimpleChatResponse(cut, options);
      if (read !== null) assert.deepEqual(read, scanChatResponse(cut, options), `${name}, cut at ${end}`);
    }
  }
  if (!good || !isJsonObject(value)) return;
  assert(plain.finish !== undefined && plain.model !== undefined, name);
  if (isJsonObject(value.usage)) assert((plain.usage?.units.input ?? 0) > 0, name);
  assert.deepEqual(
    JSON.parse(prepareForwardedChatResponse(body, STRIP).body.toString()),
    stripped(value),
    name,
  );
  assert.equal(prepareForwardedChatResponse(body.subarray(0, -2), PLAIN).fault?.code, 'upstream_error', name);
}

test('every recorded Chat answer is forwarded whole, in any chunking, with and without its reasoning', (context) => {
  const found = chatRecordings();
  for (const recording of found) recording.stream ? checkStream(recording) : checkAnswer(recording);
  const streams = found.filter(({ stream }) => stream).length;
  context.diagnostic(
    `${found.length} recordings: ${streams} streams, ${found.length - streams} whole answers`,
  );
  assert(streams >= 80 && found.length - streams >= 110, 'the recordings were not found');
});
