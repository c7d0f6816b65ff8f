import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@floe/contract/json';
import { createJsonReply, createSseReply, type UpstreamReply } from '@floe/testkit/upstream-reply';
import { startFakeClockGateway } from '../test/fake-clock-gateway.ts';

const MESSAGE = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', stop_reason: null };
const TEXT = { type: 'text', text: 'done' };
const USAGE = { input_tokens: 1, output_tokens: 1 };

function replyInMessages(block: JsonObject, isStream: boolean): UpstreamReply {
  if (!isStream)
    return createJsonReply({ ...MESSAGE, content: [block, TEXT], stop_reason: 'end_turn', usage: USAGE });
  return createSseReply([
    { type: 'message_start', message: { ...MESSAGE, content: [], usage: USAGE } },
    ...[block, TEXT].flatMap((content_block, index) => [
      { type: 'content_block_start', index, content_block },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: USAGE },
    { type: 'message_stop' },
  ]);
}

function replyInResponses(call: JsonObject, isStream: boolean): UpstreamReply {
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'done' }],
  };
  const response = {
    id: 'r',
    object: 'response',
    status: 'completed',
    output: [call, message],
    usage: USAGE,
  };
  if (!isStream) return createJsonReply(response);
  return createSseReply([
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
    { type: 'response.output_item.done', output_index: 0, item: call },
    { type: 'response.output_item.done', output_index: 1, item: message },
    { type: 'response.completed', response },
  ]);
}

test('a condition reads the hosted tools that a response called', async () => {
  for (const [surface, kind, reply, call, name] of [
    ['responses', 'openai', replyInResponses, { type: 'mcp_call', id: 'c', name: 'erase' }, 'erase'],
    ['responses', 'openai', replyInResponses, { type: 'web_search_call', id: 'c' }, 'web_search'],
    [
      'messages',
      'anthropic-compatible',
      replyInMessages,
      { type: 'mcp_tool_use', id: 'c', name: 'erase', input: {} },
      'erase',
    ],
    [
      'messages',
      'anthropic-compatible',
      replyInMessages,
      { type: 'server_tool_use', id: 'c', name: 'web_search', input: {} },
      'web_search',
    ],
  ] as const) {
    const when = `"${name}" in answer.tools`;
    const gateway = await startFakeClockGateway({
      upstreams: { a: (isStream) => reply(call, isStream) },
      providers: { a: { kind } },
      routes: [],
      org: { policies: [{ name: 'out', on: 'answer', action: 'deny', mode: 'enforce', when }] },
    });
    try {
      const turns = [{ role: 'user', content: 'hi' }];
      const body =
        surface === 'messages' ? { max_tokens: 9, messages: turns } : { input: turns, store: false };
      for (const stream of [false, true]) {
        const response = await gateway.settled(gateway.send(surface, { model: 'a/m', ...body, stream }));
        assert.match(
          response.text,
          /policy_denied|permission_error/,
          `${surface} ${name} ${stream}: ${response.text}`,
        );
      }
    } finally {
      await gateway.close();
    }
  }
});
