// What the strictest reader of each client dialect demands of a stream (measured against real SDKs and agents).
import assert from 'node:assert/strict';
import type { Json, JsonObject } from '@floe/contract/json';
import { asArray, asNumber, asObject, asString, isJsonObject, tryParseJson } from '../src/json-narrowing.ts';
import type { SseEvent } from '../src/sse.ts';

/** Parses our own SSE strictly: every frame is `event:`? + one `data:` line. */
export function parseStrictFrames(sse: string): SseEvent[] {
  if (sse === '') return [];
  assert.ok(sse.endsWith('\n\n'), 'the stream ends with a whole frame');
  return sse
    .slice(0, -2)
    .split('\n\n')
    .map((frame) => {
      const match = /^(?:event: (\S+)\n)?data: ([^\n]*)$/.exec(frame);
      assert.ok(match, `a well-formed frame: ${frame.slice(0, 200)}`);
      return { event: match[1] ?? 'message', data: match[2] ?? '' };
    });
}

/** True when the stream ended with an error event. */
export function assertStrictStream(dialect: 'chat' | 'responses' | 'messages', sse: string): boolean {
  const frames = parseStrictFrames(sse);
  assert.ok(frames.length > 0, 'something was written');
  if (dialect === 'chat') return checkChat(frames);
  return dialect === 'responses' ? checkResponses(frames) : checkMessages(frames);
}

function parseFrameObject(frame: SseEvent): JsonObject {
  const data = tryParseJson(frame.data);
  assert.ok(isJsonObject(data), `data is an object: ${frame.data.slice(0, 200)}`);
  return data;
}

function checkChat(frames: readonly SseEvent[]): boolean {
  for (const frame of frames) assert.equal(frame.event, 'message', 'Chat frames have no event line');
  const done = frames.at(-1)?.data === '[DONE]';
  const chunks = (done ? frames.slice(0, -1) : frames).map(parseFrameObject);
  const failed = chunks.at(-1)?.['error'] !== undefined;
  assert.notEqual(done, failed, 'a stream ends with [DONE] or with one error, never both');
  const answers = failed ? chunks.slice(0, -1) : chunks;
  if (failed) {
    const error = asObject(chunks.at(-1)?.['error']);
    assert.deepEqual(Object.keys(error ?? {}).sort(), ['code', 'message', 'param', 'type']);
    if (answers.length === 0) return true;
  }
  const first = asObject(asArray(answers[0]?.['choices'])[0]);
  assert.equal(asObject(first?.['delta'])?.['role'], 'assistant', 'the first chunk names the role');
  assert.equal(
    new Set(answers.map((chunk) => `${chunk['id']} ${chunk['created']} ${chunk['model']}`)).size,
    1,
  );
  let finishes = 0;
  let isTruncated = false;
  let afterUsage = false;
  const calls: { closed: boolean; text: string; custom: boolean }[] = [];
  for (const chunk of answers) {
    assert.equal(chunk['object'], 'chat.completion.chunk');
    assert.ok(Array.isArray(chunk['choices']), 'every chunk has choices');
    assert.ok(!afterUsage, 'the usage chunk is the last');
    const choice = asObject(asArray(chunk['choices'])[0]);
    if (choice === undefined) {
      assert.ok(isJsonObject(chunk['usage']), 'only the usage chunk has no choice');
      assert.equal(finishes, 1, 'usage follows the finish');
      afterUsage = true;
      continue;
    }
    assert.equal(finishes, 0, 'no choice follows the finish');
    assert.equal(choice['index'], 0);
    if (choice['finish_reason'] !== null) finishes += 1;
    isTruncated = choice['finish_reason'] === 'length' || choice['finish_reason'] === 'content_filter';
    for (const entry of asArray(asObject(choice['delta'])?.['tool_calls']))
      checkCallDelta(asObject(entry) ?? {}, calls);
    if (choice['finish_reason'] === 'tool_calls') assert.ok(calls.length > 0, 'tool_calls needs a call');
    if (choice['finish_reason'] === 'stop') assert.equal(calls.length, 0, 'calls never end with stop');
  }
  assert.equal(finishes, failed ? 0 : 1, 'exactly one finish, none beside an error');
  // Only the last call of a truncated response can be without arguments.
  if (!failed)
    for (const call of isTruncated ? calls.slice(0, -1) : calls)
      assert.ok(call.custom || call.text !== '', 'arguments are never empty');
  return failed;
}

function checkCallDelta(
  entry: JsonObject,
  calls: { closed: boolean; text: string; custom: boolean }[],
): void {
  const index = asNumber(entry['index']);
  assert.ok(index !== undefined && index >= 0, 'a call delta has its index');
  const custom = asObject(entry['custom']);
  const inner = custom ?? asObject(entry['function']);
  if (index === calls.length) {
    assert.ok(asString(entry['id']), 'the first delta has the id');
    assert.ok(asString(entry['type']), 'the first delta has the type');
    assert.ok(asString(inner?.['name']), 'the first delta has the name');
    for (const call of calls) call.closed = true;
    calls.push({ closed: false, text: '', custom: custom !== undefined });
  }
  const call = calls[index];
  assert.ok(call && !call.closed, 'indices are dense and calls never interleave');
  call.text += asString(inner?.['arguments']) ?? asString(inner?.['input']) ?? '';
}

function checkResponses(frames: readonly SseEvent[]): boolean {
  const events = frames.map((frame, index) => {
    const data = parseFrameObject(frame);
    assert.equal(data['type'], frame.event, 'the event line repeats the type');
    assert.equal(data['sequence_number'], index, 'sequence numbers count from 0');
    return data;
  });
  const types = events.map((event) => String(event['type']));
  assert.deepEqual(types.slice(0, 2), ['response.created', 'response.in_progress']);
  const last = types.at(-1) ?? '';
  assert.ok(
    ['response.completed', 'response.incomplete', 'response.failed'].includes(last),
    `ends with ${last}`,
  );
  const failed = last === 'response.failed';
  assert.equal(types.includes('error'), failed, 'an error event comes with response.failed');
  assert.equal(types.filter((type) => /^response\.(completed|incomplete|failed)$/.test(type)).length, 1);
  const done: Json[] = [];
  let open: { item: JsonObject; index: number; parts: number; part: boolean; text: string } | undefined;
  for (const event of events) {
    const type = String(event['type']);
    assert.ok(KNOWN_EVENTS.has(type), `${type} is an event of the SDK's union`);
    if (type === 'response.output_item.added') {
      assert.equal(open, undefined, 'one item at a time');
      const item = asObject(event['item']) ?? {};
      assert.ok(asString(item['id']), 'an item has an id');
      assert.equal(event['output_index'], done.length, 'output indices are dense');
      open = { item, index: done.length, parts: 0, part: false, text: '' };
    } else if (type === 'response.output_item.done') {
      const item = asObject(event['item']) ?? {};
      assert.equal(item['id'], open?.item['id'], 'an item keeps its id');
      if (item['type'] === 'function_call' && item['status'] === 'completed')
        assert.notEqual(item['arguments'], '', 'arguments are never empty');
      done.push(item);
      open = undefined;
    } else if (event['item_id'] !== undefined) {
      assert.equal(event['item_id'], open?.item['id'], `${type} belongs to the open item`);
      assert.equal(event['output_index'], open?.index);
      if (/part\.added$/.test(type)) {
        assert.equal(open?.part, false, 'one part at a time');
        if (open) open.part = true;
      }
      if (/(text|refusal)\.delta$/.test(type))
        assert.equal(open?.part, true, 'a part opens before its deltas');
      if (/part\.done$/.test(type) && open) open.part = false;
      if (type.endsWith('.delta') && open) open.text += asString(event['delta']) ?? '';
    }
  }
  checkIncompleteItems(done.map(asObject), last === 'response.incomplete');
  const output = asArray(asObject(events.at(-1)?.['response'])?.['output']);
  assert.deepEqual(output.slice(0, done.length), done, 'the last response holds every item');
  if (!failed) assert.equal(open, undefined, 'every item is done');
  assert.equal(output.length - done.length, open ? 1 : 0, 'and what has been told of the one under way');
  if (open) assert.equal(itemText(asObject(output.at(-1)) ?? {}), open.text, 'word by word');
  return failed;
}

/** A truncated response ends with an incomplete item, at least if that item is a call. */
function checkIncompleteItems(items: readonly (JsonObject | undefined)[], isTruncated: boolean): void {
  const cut = items.findIndex((item) => item?.['status'] === 'incomplete');
  assert.ok(cut === -1 || (isTruncated && cut === items.length - 1), 'only the last item is incomplete');
  const last = items.at(-1);
  if (isTruncated && /_call$/.test(String(last?.['type'])))
    assert.equal(last?.['status'], 'incomplete', 'a truncated call does not look complete');
}

/** What an output item says, whatever it is. */
function itemText(item: JsonObject): string {
  const parts = [...asArray(item['content']), ...asArray(item['summary'])].map(asObject);
  const words = parts.map((part) => asString(part?.['text']) ?? asString(part?.['refusal']) ?? '');
  return words.join('') + (asString(item['arguments']) ?? asString(item['input']) ?? '');
}

const KNOWN_EVENTS = new Set(
  (
    'error response.created response.in_progress response.completed response.incomplete response.failed ' +
    'response.output_item.added response.output_item.done response.content_part.added response.content_part.done ' +
    'response.output_text.delta response.output_text.done response.refusal.delta response.refusal.done ' +
    'response.function_call_arguments.delta response.function_call_arguments.done ' +
    'response.custom_tool_call_input.delta response.custom_tool_call_input.done ' +
    'response.reasoning_summary_part.added response.reasoning_summary_part.done ' +
    'response.reasoning_summary_text.delta response.reasoning_summary_text.done'
  ).split(' '),
);

function checkMessages(frames: readonly SseEvent[]): boolean {
  const events = frames.map((frame) => {
    const data = parseFrameObject(frame);
    assert.equal(data['type'], frame.event, 'every event has its event line');
    return data;
  });
  const failed = events.at(-1)?.['type'] === 'error';
  if (failed && events.length === 1) return true;
  assert.equal(events[0]?.['type'], 'message_start');
  assert.ok(isJsonObject(asObject(events[0]?.['message'])?.['usage']), 'message_start has usage');
  let next = 0;
  let open: string | undefined;
  for (const event of events.slice(1)) {
    switch (event['type']) {
      case 'content_block_start':
        assert.equal(open, undefined, 'one block at a time');
        assert.equal(event['index'], next, 'block indices count from 0');
        open = String(asObject(event['content_block'])?.['type']);
        break;
      case 'content_block_delta':
        assert.ok(open !== undefined, 'a block opens before its deltas');
        assert.equal(event['index'], next);
        assert.equal(DELTA_BLOCKS[String(asObject(event['delta'])?.['type'])], open);
        break;
      case 'content_block_stop':
        assert.ok(open !== undefined);
        assert.equal(event['index'], next);
        open = undefined;
        next += 1;
        break;
      case 'message_delta':
        assert.equal(open, undefined, 'every block is stopped');
        assert.ok(
          asNumber(asObject(event['usage'])?.['output_tokens']) !== undefined,
          'message_delta has usage',
        );
        assert.ok(asString(asObject(event['delta'])?.['stop_reason']), 'message_delta has the stop reason');
        break;
      default:
        assert.ok(
          ['ping', 'message_stop', 'error'].includes(String(event['type'])),
          `known event ${event['type']}`,
        );
    }
  }
  const end = events.slice(-2).map((event) => event['type']);
  if (!failed) assert.deepEqual(end, ['message_delta', 'message_stop']);
  return failed;
}

const DELTA_BLOCKS: Readonly<Record<string, string>> = {
  text_delta: 'text',
  thinking_delta: 'thinking',
  signature_delta: 'thinking',
  input_json_delta: 'tool_use',
};
