// Responses and Messages streams that Floe forwards to a client of the same dialect.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '@floe/contract/json';
import { createSseReply } from '@floe/testkit/upstream-reply';
import { chatReply } from './test/chat-replies.ts';
import { type FakeClockGateway, startFakeClockGateway } from './test/fake-clock-gateway.ts';

const REQUESTS = {
  responses: { input: 'hi' },
  messages: { messages: [{ role: 'user', content: 'hi' }], max_tokens: 9 },
} as const;
type Surface = keyof typeof REQUESTS;
const KINDS = { responses: 'openai', messages: 'anthropic-compatible' } as const;

const CREATED = { type: 'response.created', response: { id: 'r', status: 'in_progress', output: [] } };
const MESSAGE = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [],
  stop_reason: null,
};
const STARTED = { type: 'message_start', message: { ...MESSAGE, usage: { input_tokens: 1 } } };

const added = (item: JsonObject) => ({ type: 'response.output_item.added', output_index: 0, item });
const done = (item: JsonObject) => ({ type: 'response.output_item.done', output_index: 0, item });
const blockStart = (content_block: JsonObject) => ({ type: 'content_block_start', index: 0, content_block });

/** A gateway whose first target sends these events and then closes the stream. */
async function start(
  t: TestContext,
  surface: Surface,
  events: readonly JsonObject[],
): Promise<FakeClockGateway> {
  const gateway = await startFakeClockGateway({
    upstreams: { a: () => createSseReply(events), b: (isStream) => chatReply('fine', isStream) },
    providers: { a: { kind: KINDS[surface], breaker: { enabled: false } } },
    routes: [{ model: 'm', targets: ['a/m', 'b/m'], retries: 0 }],
  });
  t.after(() => gateway.close());
  return gateway;
}

/** Returns whether the client received the response of the first target, although it was cut off. */
async function isSent(t: TestContext, surface: Surface, events: readonly JsonObject[]): Promise<boolean> {
  const gateway = await start(t, surface, events);
  const { text } = await gateway.settled(
    gateway.send(surface, { model: 'm', stream: true, store: false, ...REQUESTS[surface] }),
  );
  const isFromFirst = text.includes('upstream_stream_broken') || text.includes('"type":"error"');
  assert.equal(gateway.rows.at(-1)?.state, isFromFirst ? 'partial' : 'complete', text);
  return isFromFirst;
}

test('events of tools that the provider runs are content of a forwarded stream', async (t) => {
  for (const type of ['web_search_call', 'code_interpreter_call', 'image_generation_call', 'mcp_call'])
    assert.ok(await isSent(t, 'responses', [CREATED, added({ id: 'x', type, status: 'in_progress' })]), type);
  for (const type of ['server_tool_use', 'mcp_tool_use', 'bash_code_execution_tool_result'])
    assert.ok(
      await isSent(t, 'messages', [STARTED, blockStart({ type, id: 'x', name: 'n', input: {} })]),
      type,
    );
});

test('a completed output item is content of a forwarded stream, even if it shows nothing', async (t) => {
  const reasoning = { id: 'rs_1', type: 'reasoning', summary: [] };
  assert.ok(await isSent(t, 'responses', [CREATED, added(reasoning), done(reasoning)]));
});

test('announcements are not content of a forwarded stream, so that another target can respond', async (t) => {
  const message = { id: 'msg_1', type: 'message', role: 'assistant', content: [] };
  const part = { type: 'output_text', text: '', annotations: [] };
  const at = { item_id: 'msg_1', output_index: 0 };
  for (const events of [
    [CREATED, { ...CREATED, type: 'response.in_progress' }],
    [CREATED, added(message)],
    [CREATED, added(message), { type: 'response.content_part.added', ...at, content_index: 0, part }],
    [CREATED, added({ id: 'rs_1', type: 'reasoning', summary: [] })],
  ])
    assert.ok(!(await isSent(t, 'responses', events)), JSON.stringify(events));
  assert.ok(!(await isSent(t, 'messages', [STARTED, { type: 'ping' }])));
});

test('the buffered start of a stream has a maximum size, after which it is sent', async (t) => {
  const ping = { type: 'ping', padding: ' '.repeat(1024 * 1024) };
  assert.ok(!(await isSent(t, 'messages', [STARTED, ...Array.from({ length: 7 }, () => ping)])));
  assert.ok(await isSent(t, 'messages', [STARTED, ...Array.from({ length: 9 }, () => ping)]));
});
