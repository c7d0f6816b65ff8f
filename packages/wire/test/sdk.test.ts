// The official SDK as the reader of what we write, for upstreams of all four dialects.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import OpenAI, { APIError } from 'openai';
import { accumulateResponse } from '../src/canonical-response.ts';
import { CLIENT_DIALECTS } from '../src/dialects.ts';
import type { FunctionTool } from '../src/request.ts';
import { findRecordedStream } from './samples.ts';
import { createAnswerContext, emptyRequest, readStreamEvents } from './translate.ts';

const UPSTREAMS = ['chat', 'responses', 'messages', 'gemini', 'converse', 'cohere'] as const;
type Upstream = (typeof UPSTREAMS)[number];

const tools = ['look_up', 'measure', 'now'].map(
  (name): FunctionTool => ({ kind: 'function', name, schema: { type: 'object', properties: {} } }),
);
const context = createAnswerContext({ request: emptyRequest({ tools }) });

/** A client whose server answers with `body`. */
function clientOf(body: string, type: string): OpenAI {
  return new OpenAI({
    apiKey: 'none',
    baseURL: 'http://127.0.0.1:1/v1',
    maxRetries: 0,
    fetch: () => Promise.resolve(new Response(body, { headers: { 'content-type': type } })),
  });
}

function streamed(client: 'chat' | 'responses', upstream: Upstream, scenario: string): OpenAI {
  const writer = CLIENT_DIALECTS[client].createResponseWriter(context);
  const events = readStreamEvents(upstream, findRecordedStream(upstream, scenario).body, 1 << 30);
  return clientOf(events.map((event) => writer.write(event)).join(''), 'text/event-stream');
}

function whole(client: 'chat' | 'responses', upstream: Upstream, scenario: string): OpenAI {
  const events = readStreamEvents(upstream, findRecordedStream(upstream, scenario).body, 1 << 30);
  const { body } = CLIENT_DIALECTS[client].writeCompleteResponse(accumulateResponse(events), context);
  return clientOf(JSON.stringify(body), 'application/json');
}

const chatAsk = { model: 'm', messages: [{ role: 'user' as const, content: 'hi' }] };
const responsesAsk = { model: 'm', input: 'hi' };

for (const upstream of UPSTREAMS) {
  describe(`openai SDK, Chat over ${upstream}`, () => {
    const final = async (scenario: string) => {
      const completion = await streamed('chat', upstream, scenario)
        .chat.completions.stream(chatAsk)
        .finalChatCompletion();
      const plain = await whole('chat', upstream, scenario).chat.completions.create(chatAsk);
      assert.equal(completion.choices[0]?.finish_reason, plain.choices[0]?.finish_reason);
      assert.equal(completion.choices[0]?.message.content || null, plain.choices[0]?.message.content || null);
      return { ...completion.choices[0], usage: plain.usage };
    };

    test('text', async () => {
      const { message, finish_reason, usage } = await final('text');
      assert.deepEqual([message?.content, finish_reason], ['Grüße, Welt ✓', 'stop']);
      assert.deepEqual(
        [usage?.prompt_tokens, usage?.total_tokens, usage?.prompt_tokens_details?.cached_tokens],
        [20, 28, 4],
      );
    });

    test('parallel tools and a tool without arguments', async () => {
      const { message, finish_reason } = await final('parallel-tools');
      const calls = message?.tool_calls?.map((call) =>
        call.type === 'function' ? [call.function.name, call.function.arguments] : [],
      );
      assert.deepEqual(calls, [
        ['look_up', '{"q":"x"}'],
        ['measure', '{"n":1}'],
      ]);
      assert.equal(finish_reason, 'tool_calls');
      const [bare] = (await final('no-args-tool')).message?.tool_calls ?? [];
      assert.ok(bare?.type === 'function');
      assert.deepEqual([bare.function.name, bare.function.arguments], ['now', '{}']);
    });

    test('thinking is not shown, a refusal is a refusal, a cut answer says length', async () => {
      assert.equal((await final('thinking')).message?.content, 'Done.');
      assert.ok(['content_filter', 'stop'].includes((await final('refusal')).finish_reason ?? ''));
      await assert.rejects(
        streamed('chat', upstream, 'error-inside').chat.completions.stream(chatAsk).finalChatCompletion(),
        APIError,
      );
      await assert.rejects(
        streamed('chat', upstream, 'error-before').chat.completions.stream(chatAsk).finalChatCompletion(),
        APIError,
      );
      const cut = streamed('chat', upstream, 'length').chat.completions.stream(chatAsk);
      assert.equal((await cut.finalChatCompletion()).choices[0]?.finish_reason, 'length');
    });
  });

  describe(`openai SDK, Responses over ${upstream}`, () => {
    const final = async (scenario: string) => {
      const response = await streamed('responses', upstream, scenario)
        .responses.stream(responsesAsk)
        .finalResponse();
      const plain = await whole('responses', upstream, scenario).responses.create(responsesAsk);
      assert.equal(response.output_text, plain.output_text);
      assert.equal(response.status, plain.status);
      return response;
    };

    test('text', async () => {
      const response = await final('text');
      assert.deepEqual([response.output_text, response.status], ['Grüße, Welt ✓', 'completed']);
      assert.equal(response.usage?.input_tokens_details.cached_tokens, 4);
    });

    test('parallel tools and a tool without arguments', async () => {
      const calls = (await final('parallel-tools')).output.flatMap((item) =>
        item.type === 'function_call' ? [[item.name, item.arguments]] : [],
      );
      assert.deepEqual(calls, [
        ['look_up', '{"q":"x"}'],
        ['measure', '{"n":1}'],
      ]);
      const bare = (await final('no-args-tool')).output.at(-1);
      assert.ok(bare?.type === 'function_call');
      assert.equal(bare.arguments, '{}');
    });

    test('thinking is an item of its own, a cut answer is incomplete, an error throws', async () => {
      const thinking = await final('thinking');
      assert.equal(thinking.output_text, 'Done.');
      const reasoning = thinking.output.find((item) => item.type === 'reasoning');
      assert.equal(reasoning?.type === 'reasoning' && reasoning.summary[0]?.text, 'First, consider.');
      assert.equal((await final('length')).incomplete_details?.reason, 'max_output_tokens');
      await final('refusal');
      for (const scenario of ['error-inside', 'error-before'])
        await assert.rejects(
          streamed('responses', upstream, scenario).responses.stream(responsesAsk).finalResponse(),
        );
    });
  });
}
