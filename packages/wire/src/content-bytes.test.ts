import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChatStreamForwarder } from './chat/stream-forwarder.ts';
import { countContentBytes, countJsonStringBytes } from './content-bytes.ts';
import { UPSTREAM_DIALECTS } from './dialects.ts';
import { formatSseFrame } from './sse.ts';

const TEXT = 'Eis "dick"\n\té, лёд, 氷, 🧊, \\ and \u0007';

function countOf(value: unknown): ReturnType<typeof countContentBytes> {
  return countContentBytes(Buffer.from(JSON.stringify(value)));
}

test('the bytes of a text are the same however JSON escapes it', () => {
  const wanted = Buffer.byteLength(TEXT);
  const escaped = [...TEXT]
    .flatMap((sign) => [...Array(sign.length).keys()].map((at) => sign.charCodeAt(at)))
    .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
    .join('');
  for (const json of [
    JSON.stringify(TEXT),
    `"${escaped}"`,
    `"${TEXT.replaceAll(/["\\\n\t\u0007]/g, 'x')}"`,
  ]) {
    const bytes = Buffer.from(json);
    assert.equal(countJsonStringBytes(bytes, { start: 0, end: bytes.length }), wanted, json);
  }
  const long = Buffer.from(JSON.stringify(TEXT.repeat(500)));
  assert.equal(countJsonStringBytes(long, { start: 0, end: long.length }), wanted * 500);
});

const ARGUMENTS = { city: 'Tromsø', days: [1, 2] };
const ARGUMENT_TEXT = JSON.stringify(ARGUMENTS);
/** Text, reasoning, a tool's name and its arguments. */
const EXPECTED = Buffer.byteLength(`${TEXT}because${ARGUMENT_TEXT}weather`);

const WHOLE = {
  chat: {
    id: 'chatcmpl-1',
    model: 'a-model-with-a-long-name',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: TEXT,
          reasoning: 'because',
          reasoning_details: [{ type: 'reasoning.text', text: 'because', signature: 'x'.repeat(900) }],
          tool_calls: [
            { id: 'call_1', type: 'function', function: { name: 'weather', arguments: ARGUMENT_TEXT } },
          ],
        },
        logprobs: { content: [{ token: 'Eis', logprob: -1 }] },
        finish_reason: 'tool_calls',
      },
    ],
  },
  responses: {
    id: 'resp_1',
    instructions: 'a long instruction that nobody generated',
    tools: [{ type: 'function', name: 'weather', description: 'of a city' }],
    output: [
      {
        type: 'reasoning',
        id: 'rs_1',
        summary: [{ type: 'summary_text', text: 'because' }],
        encrypted_content: 'x'.repeat(900),
      },
      { type: 'message', content: [{ type: 'output_text', text: TEXT, annotations: [{ title: 'a page' }] }] },
      { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: ARGUMENT_TEXT },
    ],
  },
  messages: {
    id: 'msg_1',
    content: [
      { type: 'thinking', thinking: 'because', signature: 'x'.repeat(900) },
      { type: 'text', text: TEXT },
      { type: 'tool_use', id: 'toolu_1', name: 'weather', input: ARGUMENTS },
    ],
  },
} as const;

for (const [dialect, answer] of Object.entries(WHOLE))
  test(`${dialect}: text, reasoning, tool names and arguments of a whole answer count, and nothing else`, () => {
    assert.deepEqual(countOf(answer), { added: EXPECTED, whole: 0 });
  });

test('pieces of a stream count once, however often later events repeat them', () => {
  const events = [
    { type: 'response.created', response: { id: 'r', output: [] } },
    { type: 'response.output_item.added', item: { type: 'function_call', name: 'weather', arguments: '' } },
    { type: 'response.output_text.delta', delta: TEXT },
    { type: 'response.output_text.done', text: TEXT },
    { type: 'response.output_audio.delta', delta: 'QUJD'.repeat(100) },
    { type: 'response.content_part.done', part: { type: 'output_text', text: TEXT } },
    { type: 'response.output_item.done', item: { type: 'message', content: [{ text: TEXT }] } },
  ];
  let added = 0;
  for (const event of events) added += countOf(event).added;
  assert.equal(added, Buffer.byteLength(TEXT));
  const last = countOf({ type: 'response.completed', response: WHOLE.responses });
  assert.deepEqual(last, { added: 0, whole: EXPECTED });
});

test('a Messages stream counts as much as the whole answer', () => {
  const deltas = [
    { type: 'message_start', message: { id: 'm', content: [], usage: { input_tokens: 3 } } },
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'because' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'x'.repeat(900) } },
    ...[...TEXT].map((text) => ({
      type: 'content_block_delta',
      index: 1,
      delta: { type: 'text_delta', text },
    })),
    {
      type: 'content_block_start',
      index: 2,
      content_block: { type: 'tool_use', id: 't', name: 'weather', input: {} },
    },
    {
      type: 'content_block_delta',
      index: 2,
      delta: { type: 'input_json_delta', partial_json: ARGUMENT_TEXT },
    },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
  ];
  assert.equal(
    deltas.reduce((sum, event) => sum + countOf(event).added, 0),
    EXPECTED,
  );
});

test('a forwarded Chat stream counts what is passed and what is cut, wherever its bytes are divided', () => {
  const chunks = [
    { choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] },
    { choices: [{ index: 0, delta: { reasoning: 'because', reasoning_details: [{ text: 'because' }] } }] },
    ...[...TEXT].map((content) => ({ choices: [{ index: 0, delta: { content } }] })),
    {
      choices: [
        {
          index: 0,
          delta: { tool_calls: [{ index: 0, id: 'c', function: { name: 'weather', arguments: '' } }] },
        },
      ],
    },
    ...(ARGUMENT_TEXT.match(/.{1,3}/gsu)?.map((piece) => ({
      choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: piece } }] } }],
    })) ?? []),
    { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
  ];
  const stream = Buffer.from(
    chunks.map((chunk) => formatSseFrame(undefined, JSON.stringify(chunk))).join(''),
  );
  for (const stripReasoning of [true, false])
    for (const size of [stream.length, 700, 64, 7]) {
      const forward = new ChatStreamForwarder({
        stripReasoning,
        thinkTags: false,
        dropUsageFrame: false,
        choices: 1,
      });
      for (let at = 0; at < stream.length; at += size) forward.push(stream.subarray(at, at + size));
      assert.equal(forward.fault, undefined);
      assert.equal(forward.contentBytes, EXPECTED, `${size} bytes at a time`);
      assert.equal(forward.contentFrameCount, chunks.length - 2);
    }
});

test('the events of a whole answer hold as many bytes of content', () => {
  for (const [dialect, answer] of Object.entries(WHOLE)) {
    if (dialect === 'chat') continue;
    const upstream = dialect === 'messages' ? UPSTREAM_DIALECTS.messages : UPSTREAM_DIALECTS.responses;
    const body = { status: 'completed', stop_reason: 'end_turn', ...structuredClone(answer) };
    const { blocks } = upstream.readCompleteResponse(body, { id: 'x' });
    const bytes = blocks.reduce(
      (sum, block) => sum + Buffer.byteLength(block.text) + (block.kind === 'tool' ? block.name.length : 0),
      0,
    );
    assert.equal(bytes, EXPECTED, dialect);
  }
});

test('what is not JSON counts by its length', () => {
  assert.deepEqual(countContentBytes(Buffer.from('no json')), { added: 7, whole: 0 });
  assert.deepEqual(countContentBytes(Buffer.from('[1]')), { added: 0, whole: 0 });
});
