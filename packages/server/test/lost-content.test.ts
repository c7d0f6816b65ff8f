// Answers of which nothing can be translated, for every pair of dialects.
// Tier: ci. Every pair of dialects, whole and streamed.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { JsonObject } from '@floe/contract/json';
import { convertSseToEventStream } from '@floe/testkit/amazon-event-stream';
import { callHttp, parseSseFrames } from '@floe/testkit/http-client';
import { createJsonReply, createSseReply, type UpstreamReply } from '@floe/testkit/upstream-reply';
import { objectOrEmpty, TEST_DIALECTS, type TestDialect } from './answer-content.ts';
import { assertErrorAnswer } from './assert-error-answer.ts';
import {
  CLIENT_SURFACES,
  type ClientSurface,
  type DialectGateway,
  SURFACE_PATHS,
  startDialectGateway,
} from './dialect-gateway.ts';
import { sampleReply, toBinaryReply } from './upstream-samples.ts';

const TURN = [{ role: 'user', content: 'Draw the ice.' }];
const BODIES: Readonly<Record<ClientSurface, JsonObject>> = {
  chat: { messages: TURN },
  responses: { input: TURN },
  messages: { messages: TURN, max_tokens: 100 },
};

/** An answer with one part that no other dialect has, and in `thinking` some reasoning before it. */
interface LostAnswer {
  readonly name: string;
  readonly whole: JsonObject;
  stream(thinking: boolean): UpstreamReply;
}

const named = (type: string, data: JsonObject) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
const image = { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } };
const approval = {
  type: 'mcp_approval_request',
  id: 'mcpr_1',
  name: 'drill',
  server_label: 's',
  arguments: '{}',
};
const candidate = (...parts: readonly JsonObject[]) => ({
  candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }],
});
const choice = (said: JsonObject, finish: string | null = null) => ({
  choices: [{ index: 0, ...said, finish_reason: finish }],
});
const completed = { id: 'resp_1', status: 'completed', output: [approval] };
const block = (index: number, content: JsonObject) =>
  named('content_block_start', { index, content_block: content }) + named('content_block_stop', { index });
const binary = (frames: readonly (readonly [string, JsonObject])[]) =>
  toBinaryReply(
    convertSseToEventStream(
      frames.map(([type, data]) => `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`).join(''),
    ),
  );
const cohereMessage = (index: number, content: JsonObject) =>
  named('content-start', { index, delta: { message: { content } } }) + named('content-end', { index });

const ANSWERS: Readonly<Record<TestDialect, LostAnswer>> = {
  gemini: {
    name: 'inlineData',
    whole: candidate(image),
    stream: (thinking) =>
      createSseReply([candidate(...(thinking ? [{ text: 'Hm', thought: true }] : []), image)]),
  },
  chat: {
    name: 'audio',
    whole: choice(
      { message: { role: 'assistant', content: null, audio: { id: 'a', data: 'AAAA' } } },
      'stop',
    ),
    stream: (thinking) =>
      createSseReply([
        ...(thinking ? [choice({ delta: { reasoning_content: 'Hm' } })] : []),
        choice({ delta: { audio: { id: 'a', data: 'AAAA' } } }),
        choice({ delta: {} }, 'stop'),
        'data: [DONE]\n\n',
      ]),
  },
  responses: {
    name: 'mcp_approval_request',
    whole: completed,
    stream: (thinking) =>
      createSseReply([
        named('response.created', { response: { ...completed, status: 'in_progress', output: [] } }),
        ...(thinking
          ? [
              named('response.reasoning_summary_text.delta', {
                output_index: 7,
                item_id: 'rs',
                summary_index: 0,
                delta: 'Hm',
              }),
            ]
          : []),
        named('response.output_item.added', { output_index: 0, item: approval }),
        named('response.output_item.done', { output_index: 0, item: approval }),
        named('response.completed', { response: completed }),
      ]),
  },
  messages: {
    name: 'tomorrow',
    whole: { id: 'msg_1', type: 'message', content: [{ type: 'tomorrow', x: 1 }], stop_reason: 'end_turn' },
    stream: (thinking) =>
      createSseReply([
        named('message_start', { message: { id: 'msg_1', content: [] } }),
        ...(thinking ? [block(0, { type: 'thinking', thinking: 'Hm', signature: 'c2ln' })] : []),
        block(1, { type: 'tomorrow', x: 1 }),
        named('message_delta', { delta: { stop_reason: 'end_turn' } }),
        named('message_stop', {}),
      ]),
  },
  converse: {
    name: 'image',
    whole: {
      output: { message: { role: 'assistant', content: [{ image: { format: 'png' } }] } },
      stopReason: 'end_turn',
    },
    stream: (thinking) =>
      binary([
        ['messageStart', { role: 'assistant' }],
        ...(thinking
          ? [
              [
                'contentBlockDelta',
                { contentBlockIndex: 0, delta: { reasoningContent: { text: 'Hm' } } },
              ] as const,
            ]
          : []),
        ['contentBlockDelta', { contentBlockIndex: 1, delta: { image: { format: 'png' } } }],
        ['messageStop', { stopReason: 'end_turn' }],
        ['metadata', { usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } }],
      ]),
  },
  cohere: {
    name: 'image',
    whole: {
      id: 'c',
      message: { role: 'assistant', content: [{ type: 'image', url: 'x' }] },
      finish_reason: 'COMPLETE',
    },
    stream: (thinking) =>
      createSseReply([
        named('message-start', { id: 'c', delta: { message: {} } }),
        ...(thinking ? [cohereMessage(0, { type: 'thinking', thinking: 'Hm' })] : []),
        cohereMessage(1, { type: 'image', url: 'x' }),
        named('message-end', { delta: { finish_reason: 'COMPLETE' } }),
      ]),
  },
};

let harness: DialectGateway;
before(async () => {
  harness = await startDialectGateway({
    routes: [
      { model: 'draw', targets: ['gemini/m-1', 'messages/m-1'], retries: 3 },
      { model: '*', retries: 0 },
    ],
  });
});
after(() => harness.close());

const ask = (surface: ClientSurface, dialect: TestDialect, stream: boolean) =>
  callHttp(harness.url + SURFACE_PATHS[surface], {
    headers: { authorization: `Bearer ${harness.key}` },
    body: { model: `${dialect}/m-1`, ...BODIES[surface], stream },
  });

for (const surface of CLIENT_SURFACES)
  for (const dialect of TEST_DIALECTS.filter((name) => name !== surface))
    test(`${surface} over ${dialect}: an answer of which nothing can be translated is an error that names it`, async () => {
      const { name, whole, stream } = ANSWERS[dialect];
      for (const streamed of [false, true]) {
        harness.setReply(dialect, streamed ? stream(false) : createJsonReply(whole));
        const answer = await ask(surface, dialect, streamed);
        const shape = surface === 'messages' ? 'anthropic' : 'openai';
        const message = new RegExp(`\`${name}\``);
        assertErrorAnswer(answer, { code: 'unsupported_response', shape, message }, `stream ${streamed}`);
        assert.equal(answer.headers['x-floe-dropped'], name);
        const row = await harness.row(answer.headers['x-request-id'] ?? '');
        assert.deepEqual(
          [row['state'], row['error_code'], row['dropped']],
          ['failed', 'unsupported_response', [name]],
        );
      }
    });

/** The errors in a stream, and whether it looks finished. */
function readStream(
  surface: ClientSurface,
  text: string,
): { readonly error: JsonObject; readonly isFinished: boolean } {
  const frames = parseSseFrames(text).map(({ data }) =>
    data === '[DONE]' ? {} : objectOrEmpty(JSON.parse(data)),
  );
  const failed = frames.find((frame) => frame['error'] !== undefined && frame['error'] !== null);
  const isFinished = {
    chat: /"finish_reason":"|\[DONE\]/,
    responses: /response\.(completed|incomplete)/,
    messages: /message_stop|"stop_reason":"/,
  }[surface].test(text);
  return { error: objectOrEmpty(failed?.['error']), isFinished };
}

for (const surface of ['responses', 'messages'] as const)
  for (const dialect of TEST_DIALECTS.filter((name) => name !== surface))
    test(`${surface} over ${dialect}: a stream of which only reasoning can be translated ends with an error`, async () => {
      const { name, stream } = ANSWERS[dialect];
      harness.setReply(dialect, stream(true));
      const answer = await ask(surface, dialect, true);
      assert.equal(answer.status, 200, answer.text);
      assert.match(answer.text, /Hm/);
      const { error, isFinished } = readStream(surface, answer.text);
      assert.ok(String(error['message']).includes(`\`${name}\``), answer.text);
      assert.equal(error['type'], 'api_error');
      assert.ok(!isFinished, answer.text);
      const row = await harness.row(answer.headers['x-request-id'] ?? '');
      assert.deepEqual([row['state'], row['error_code']], ['partial', 'unsupported_response']);
      assert.ok(Array.isArray(row['dropped']) && row['dropped'].includes(name));
    });

test('the next target answers instead of one whose answer cannot be translated', async () => {
  for (const stream of [false, true]) {
    harness.setReply('gemini', stream ? ANSWERS.gemini.stream(false) : createJsonReply(ANSWERS.gemini.whole));
    harness.setReply('messages', sampleReply('messages', 'text', stream));
    const answer = await callHttp(`${harness.url}/messages`, {
      headers: { authorization: `Bearer ${harness.key}` },
      body: { model: 'draw', ...BODIES.messages, stream },
    });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual([answer.headers['x-floe-attempts'], answer.headers['x-floe-dropped']], ['2', undefined]);
  }
});

test('the same answer reaches a client of its own dialect with all its bytes', async () => {
  for (const surface of CLIENT_SURFACES) {
    const reply = createJsonReply(ANSWERS[surface].whole);
    harness.setReply(surface, reply);
    const answer = await ask(surface, surface, false);
    assert.deepEqual(
      [answer.status, answer.text, answer.headers['x-floe-dropped']],
      [200, reply.body, undefined],
    );
  }
});
