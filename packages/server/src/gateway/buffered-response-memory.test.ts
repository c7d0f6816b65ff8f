import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '@floe/contract/json';
import { nextEventLoopTurn } from '@floe/testkit/fake-clock';
import { createJsonReply, createSseReply, type UpstreamReply } from '@floe/testkit/upstream-reply';
import { chatReply } from './test/chat-replies.ts';
import { startFakeClockGateway } from './test/fake-clock-gateway.ts';

const MB = 1_000_000;
const ASKED = { model: 'm', messages: [{ role: 'user', content: 'hi' }] };
const created = {
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  output: [],
  text: 'x'.repeat(3 * MB),
};
const completion = {
  id: 'c',
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'x'.repeat(3 * MB) }, finish_reason: 'stop' }],
};

const OVERLOAD = {
  maxConcurrentExchanges: 100,
  maxBodyBytes: 2 * MB,
  maxBodyDiskBytes: 1 << 30,
  maxEventLoopDelayMs: 0,
};

const JSON_LINES = { 'content-type': 'application/jsonl' };

/** A gateway with 2 MB of memory for bodies. */
async function start(t: TestContext, reply: UpstreamReply, org: JsonObject = {}, kind = 'openai-compatible') {
  const gateway = await startFakeClockGateway({
    upstreams: { a: () => reply },
    providers: { a: { kind, breaker: { enabled: false } } },
    routes: [{ model: 'm', targets: ['a/m'], retries: 3 }],
    org: { passthrough: { a: ['a'] }, ...org },
    overload: OVERLOAD,
  });
  t.after(() => gateway.close());
  return gateway;
}

test('a buffered response that exceeds the memory for bodies is rejected once, and its memory is free again', async (t) => {
  const replies = [
    { reply: createJsonReply(created), path: 'native' },
    { reply: createJsonReply(completion), path: 'chat' },
    { reply: createJsonReply(completion), path: 'messages' },
  ] as const;
  for (const { reply, path } of replies) {
    const gateway = await start(t, reply);
    const sent =
      path === 'native'
        ? gateway.sendNative('a/v1/responses', { model: 'm', input: 'hi' })
        : gateway.send(path, { ...ASKED, max_tokens: 5 });
    const { status, text } = await gateway.settled(sent);
    assert.equal(status, 503, text);
    assert.match(text, /have reached the memory limit/);
    assert.equal(gateway.upstream('a').requests.length, 1);
    assert.equal(gateway.overload.load.bodyBytes, 0);
    assert.equal(gateway.rows.at(-1)?.error_code, 'overloaded');
  }
});

test('the buffered start of a stream counts as memory until it is sent', { timeout: 30_000 }, async (t) => {
  const chunk = (delta: object, more: object) => ({ id: 'c', choices: [{ index: 0, delta, ...more }] });
  const streamAfter = (bytes: number) => ({
    ...createSseReply([
      { ...chunk({ role: 'assistant' }, {}), padding: 'x'.repeat(bytes) },
      chunk({ content: 'word' }, {}),
      chunk({}, { finish_reason: 'stop' }),
    ]),
    isPaced: true,
  });
  const body = { ...ASKED, stream: true };
  const tooLarge = await start(t, streamAfter(3 * MB));
  tooLarge.upstream('a').gate.release();
  assert.equal((await tooLarge.settled(tooLarge.send('chat', body))).status, 503);
  assert.equal(tooLarge.overload.load.bodyBytes, 0);

  const gateway = await start(t, streamAfter(MB));
  const { gate } = gateway.upstream('a');
  const { promise: started, resolve } = Promise.withResolvers<Buffer>();
  const sent = gateway.send('chat', body, { onChunk: resolve });
  await gate.arrivalCount(1);
  gate.release();
  while (gateway.overload.load.bodyBytes < MB) await nextEventLoopTurn();
  gate.release();
  await started;
  assert.equal(gateway.overload.load.bodyBytes, JSON.stringify(body).length);
  gate.open();
  assert.match((await gateway.settled(sent)).text, /word/);
});

test('a running stream uses memory only for its content, also if it is translated or evaluated', async (t) => {
  const frame = (delta: object, finish_reason: string | null = null) => ({
    id: 'c',
    object: 'chat.completion.chunk',
    padding: 'x'.repeat(1000),
    choices: [{ index: 0, delta, finish_reason }],
  });
  const frames = Array.from({ length: 3000 }, () => frame({ content: 'word ' }));
  const reply = createSseReply([...frames, frame({}, 'stop'), 'data: [DONE]\n\n']);
  const policies = [
    { name: 'out', on: 'answer', when: 'answer.finish == "x"', action: 'deny', mode: 'enforce' },
  ];
  for (const [surface, org] of [
    ['messages', {}],
    ['chat', { policies }],
    ['messages', { policies }],
  ] as const) {
    const gateway = await start(t, reply, org);
    const { text } = await gateway.settled(gateway.send(surface, { ...ASKED, max_tokens: 5, stream: true }));
    assert.match(text.slice(-200), surface === 'chat' ? /\[DONE\]/ : /message_stop/);
    assert.equal(gateway.rows.at(-1)?.state, 'complete');
    assert.equal(gateway.overload.load.bodyBytes, 0);
  }
});

test('the memory of a stream that fails before its content is free for the next target', async (t) => {
  const padding = 'x'.repeat(MB);
  const failed = { error: { message: 'failed' } };
  const created = { type: 'response.created', response: { id: 'r', output: [], instructions: padding } };
  const role = { id: 'c', padding, choices: [{ index: 0, delta: { role: 'assistant' } }] };
  for (const { surface, kind, events } of [
    { surface: 'responses', kind: 'openai', events: [created, { type: 'error', ...failed }] },
    { surface: 'chat', kind: 'openai-compatible', events: [role, failed] },
  ] as const) {
    const used: number[] = [];
    const respondLater = (isStream: boolean) => {
      used.push(gateway.overload.load.bodyBytes);
      return chatReply('fine', isStream);
    };
    const gateway = await startFakeClockGateway({
      upstreams: { a: () => createSseReply(events), b: respondLater },
      providers: { a: { kind, breaker: { enabled: false } } },
      routes: [{ model: 'm', targets: ['a/m', 'b/m'], retries: 0 }],
      overload: OVERLOAD,
    });
    t.after(() => gateway.close());
    const body = {
      ...(surface === 'chat' ? ASKED : { model: 'm', input: 'hi', store: false }),
      stream: true,
    };
    const { text } = await gateway.settled(gateway.send(surface, body));
    assert.match(text, /fine/);
    assert.deepEqual(used, [JSON.stringify(body).length]);
  }
});

test('the part of a forwarded response that Floe keeps to read it counts as memory', async (t) => {
  const padding = 'x'.repeat(3 * MB);
  const content = { id: 'c', choices: [{ index: 0, delta: { content: 'word' } }] };
  const item = { type: 'response.output_item.done', output_index: 0, item: { id: 'x', type: 'reasoning' } };
  const partial = { type: 'image_generation.partial_image', b64_json: padding };
  const image = { model: 'm', prompt: 'hi' };
  for (const { path, kind, reply } of [
    { path: 'chat', kind: 'openai-compatible', reply: createSseReply([content, { ...content, padding }]) },
    { path: 'responses', kind: 'openai', reply: createSseReply([item, { ...item, padding }]) },
    { path: 'image', kind: 'openai', reply: createSseReply([partial]) },
    { path: 'image', kind: 'openai', reply: createJsonReply({ data: [{ b64_json: padding }] }) },
    { path: 'image', kind: 'openai', reply: { ...createJsonReply(padding), headers: JSON_LINES } },
  ] as const) {
    const gateway = await start(t, reply, {}, kind);
    const text = path === 'chat' ? ASKED : { model: 'm', input: 'hi', store: false };
    const { isComplete, text: sent } = await gateway.settled(
      path === 'image'
        ? gateway.sendNative('a/v1/images/generations', image)
        : gateway.send(path, { ...text, stream: true }),
    );
    assert.ok(!isComplete || sent.includes('memory limit'), path);
    assert.equal(gateway.rows.at(-1)?.error_code, 'overloaded');
    assert.equal(gateway.overload.load.bodyBytes, 0);
  }
});
