import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { test } from 'node:test';
import type { Json, JsonObject } from '@floe/contract/json';
import { ResponseAccumulator, toResponseEvents } from './canonical-response.ts';
import { UPSTREAM_DIALECTS } from './dialects.ts';
import { createLostContentDetector } from './lost-content.ts';
import type { DialectName, ResponseEvent } from './response-events.ts';

/** A complete response of a dialect with the given content. */
type WriteResponse = (...content: readonly JsonObject[]) => JsonObject;

const chat = (message: JsonObject): JsonObject => ({
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }],
});
const gemini: WriteResponse = (...parts) => ({
  candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }],
});
const responses: WriteResponse = (...output) => ({ id: 'r', status: 'completed', output });
const messages: WriteResponse = (...content) => ({ id: 'm', content, stop_reason: 'end_turn' });
const converse: WriteResponse = (...content) => ({
  output: { message: { role: 'assistant', content } },
  stopReason: 'end_turn',
});
const cohere: WriteResponse = (...content) => ({ id: 'c', message: { content }, finish_reason: 'COMPLETE' });

const IMAGE = { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } };
/** Responses of which nothing can be translated, with the names of what is lost. */
const LOST: readonly (readonly [DialectName, JsonObject, string])[] = [
  ['gemini', gemini(IMAGE), 'inlineData'],
  ['gemini', gemini({ text: 'T', thought: true }, { text: ' ' }, IMAGE), 'inlineData'],
  ['gemini', gemini({ executableCode: { code: 'x' } }), 'executableCode'],
  ['gemini', gemini({ functionCall: { args: { a: 1 } } }), 'functionCall.nameless'],
  ['chat', chat({ content: null, audio: { id: 'a', data: 'AAAA' } }), 'audio'],
  ['chat', chat({ content: '', images: [{ image_url: { url: 'data:' } }] }), 'images'],
  ['chat', chat({ content: [{ type: 'image_url', image_url: {} }] }), 'content.image_url'],
  ['chat', chat({ content: { type: 'tomorrow' } }), 'content.tomorrow'],
  ['chat', chat({ tool_calls: [{ id: 'c', function: { arguments: '{}' } }] }), 'tool_calls.nameless'],
  ['responses', responses({ type: 'mcp_approval_request', id: 'a' }), 'mcp_approval_request'],
  ['responses', responses({ type: 'image_generation_call', result: 'AAAA' }), 'image_generation_call'],
  [
    'responses',
    responses(
      { type: 'reasoning', summary: [{ text: 'S' }] },
      { type: 'message', content: [{ type: 'output_audio' }] },
    ),
    'content.output_audio',
  ],
  ['messages', messages({ type: 'server_tool_use', name: 's' }), 'server_tool_use'],
  ['messages', messages({ type: 'text', text: '' }, { type: 'tomorrow' }), 'tomorrow'],
  ['converse', converse({ image: { format: 'png' } }), 'image'],
  ['converse', converse({ video: { format: 'mp4' } }, { audio: { format: 'wav' } }), 'video'],
  ['cohere', cohere({ type: 'image', url: 'x' }), 'image'],
];

function eventsOf(dialect: DialectName, body: Json): readonly ResponseEvent[] {
  const events: ResponseEvent[] = [];
  const emit = createLostContentDetector((event) => events.push(event));
  for (const event of toResponseEvents(UPSTREAM_DIALECTS[dialect].readCompleteResponse(body, { id: 'x' })))
    emit(event);
  return events;
}

test('a response of which nothing can be translated is an error that names what is lost', () => {
  for (const [dialect, body, name] of LOST) {
    const last = eventsOf(dialect, body).at(-1);
    assert.equal(last?.type, 'error', `${dialect}: ${JSON.stringify(body)}`);
    assert.ok(last.type === 'error' && last.fault.code === 'unsupported_response');
    assert.ok(last.fault.message.includes(`\`${name}\``), last.fault.message);
  }
});

test('a response with other content keeps it, and reports what is lost', () => {
  const text = {
    gemini: { text: 'A' },
    messages: { type: 'text', text: 'A' },
    converse: { text: 'A' },
  } as const;
  for (const [dialect, body, name] of [
    ['gemini', gemini(IMAGE, text.gemini), 'inlineData'],
    ['gemini', gemini(IMAGE, { functionCall: { name: 'f', args: {} } }), 'inlineData'],
    ['chat', chat({ content: 'A', audio: { data: 'AAAA' } }), 'audio'],
    ['chat', chat({ refusal: 'A', images: [{}] }), 'images'],
    ['messages', messages({ type: 'server_tool_use' }, text.messages), 'server_tool_use'],
    ['converse', converse({ image: { format: 'png' } }, text.converse), 'image'],
    ['cohere', cohere({ type: 'image', url: 'x' }, { type: 'text', text: 'A' }), 'image'],
  ] as const) {
    const events = eventsOf(dialect, body);
    assert.equal(events.at(-1)?.type, 'finish', dialect);
    assert.ok(events.some((event) => event.type === 'dropped' && event.field === name && event.isContent));
  }
});

test('an empty response that lost no content, or that is a refusal, keeps its finish', () => {
  const refused = { candidates: [{ content: { parts: [IMAGE] }, finishReason: 'IMAGE_SAFETY' }] };
  const cited = { ...chat({ content: '', annotations: [{}] }), citations: ['x'] };
  const thought = gemini({ text: 'T', thought: true }, { ...IMAGE, thought: true });
  for (const [dialect, body] of [
    ['gemini', gemini()],
    ['gemini', refused],
    ['gemini', thought],
    ['chat', cited],
    ['messages', messages()],
  ] as const)
    assert.equal(eventsOf(dialect, body).at(-1)?.type, 'finish', JSON.stringify(body));
});

test('only some of many lost parts are named', () => {
  const parts = Array.from({ length: 50_000 }, (_, index) => ({ [`part${index}`]: 1 }));
  const fold = new ResponseAccumulator();
  for (const event of eventsOf('gemini', gemini(...parts))) fold.add(event);
  assert.equal(fold.answer.lostContent?.length, 100);
  assert.ok((fold.answer.fault?.message.length ?? 0) < 400);
});

test('only the first of several candidates or choices is read', () => {
  const candidate = (text: string, index?: number) => ({
    index,
    content: { parts: [{ text }] },
    finishReason: 'STOP',
  });
  const choice = (content: string, index?: number) => ({
    index,
    message: { content },
    finish_reason: 'stop',
  });
  for (const [dialect, body, dropped] of [
    ['gemini', { candidates: [candidate('A'), candidate('B')] }, ['candidates']],
    ['gemini', { candidates: [candidate('B', 1), candidate('A')] }, ['candidates']],
    ['gemini', { candidates: [candidate('A', 0), candidate('B'), candidate('C', 2)] }, ['candidates']],
    ['chat', { choices: [choice('A'), choice('B')] }, ['choices']],
    ['chat', { choices: [choice('B', 1), choice('A', 0)] }, ['choices']],
  ] as const) {
    const written: Json = JSON.parse(JSON.stringify(body));
    const { blocks, dropped: reported } = UPSTREAM_DIALECTS[dialect].readCompleteResponse(written, {
      id: 'x',
    });
    assert.deepEqual([blocks, reported], [[{ kind: 'text', text: 'A' }], dropped], JSON.stringify(body));
  }
});

test('information about a response that has no equivalent is reported as dropped', () => {
  const logprobs = { content: [{ token: 'A', logprob: -1 }], refusal: null };
  const choice = { message: { content: 'A' }, finish_reason: 'stop', logprobs };
  const candidate = {
    content: { parts: [{ text: 'A' }] },
    finishReason: 'STOP',
    finishMessage: 'M',
    logprobsResult: { chosenCandidates: [{ token: 'A' }] },
  };
  for (const [dialect, body, dropped] of [
    ['chat', { choices: [choice] }, ['logprobs']],
    ['chat', { choices: [{ ...choice, logprobs: { content: [], refusal: null } }] }, []],
    ['gemini', { candidates: [candidate] }, ['finishMessage', 'logprobsResult']],
  ] as const) {
    const answer = UPSTREAM_DIALECTS[dialect].readCompleteResponse(body, { id: 'x' });
    assert.deepEqual(answer.dropped, dropped, JSON.stringify(body));
  }
});

test('redacted reasoning that comes in several events is joined', () => {
  const fold = new ResponseAccumulator();
  const reader = UPSTREAM_DIALECTS.converse.createResponseReader((event) => fold.add(event), { id: 'x' });
  for (const text of ['a', 'bc']) {
    const redactedContent = Buffer.from(text).toString('base64');
    const data = { contentBlockIndex: 0, delta: { reasoningContent: { redactedContent } } };
    reader.read({ event: 'contentBlockDelta', data: JSON.stringify(data) });
  }
  reader.read({ event: 'messageStop', data: JSON.stringify({ stopReason: 'end_turn' }) });
  reader.end();
  const [block] = fold.answer.blocks;
  assert.equal(block?.kind === 'reasoning' && block.seal?.value, Buffer.from('abc').toString('base64'));
});

test('redacted reasoning of many events is joined once', () => {
  const events = 20_000;
  const fold = new ResponseAccumulator();
  const reader = UPSTREAM_DIALECTS.converse.createResponseReader((event) => fold.add(event), { id: 'x' });
  const redactedContent = Buffer.alloc(1_000, 'a').toString('base64');
  const data = JSON.stringify({ contentBlockIndex: 0, delta: { reasoningContent: { redactedContent } } });
  for (let event = 0; event < events; event += 1) reader.read({ event: 'contentBlockDelta', data });
  reader.read({ event: 'messageStop', data: JSON.stringify({ stopReason: 'end_turn' }) });
  reader.end();
  const [block] = fold.answer.blocks;
  const value = block?.kind === 'reasoning' ? block.seal?.value : undefined;
  assert.equal(Buffer.from(value ?? '', 'base64').length, events * 1_000);
});
