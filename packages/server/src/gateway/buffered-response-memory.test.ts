import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '@floe/contract/json';
import { createJsonReply, createSseReply, type UpstreamReply } from '@floe/testkit/upstream-reply';
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

/** A gateway with 2 MB of memory for bodies. */
async function start(t: TestContext, reply: UpstreamReply, org: JsonObject = {}) {
  const gateway = await startFakeClockGateway({
    upstreams: { a: () => reply },
    providers: { a: { breaker: { enabled: false } } },
    routes: [{ model: 'm', targets: ['a/m'], retries: 3 }],
    org: { passthrough: { a: ['a'] }, ...org },
    overload: {
      maxConcurrentExchanges: 100,
      maxBodyBytes: 2 * MB,
      maxBodyDiskBytes: 1 << 30,
      maxEventLoopDelayMs: 0,
    },
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

test('the buffered start of a stream counts as memory until it is sent', async (t) => {
  const start2Mb = { type: 'response.created', response: { id: 'resp_1', instructions: 'x'.repeat(3 * MB) } };
  const gateway = await start(t, createSseReply([start2Mb]));
  const { status } = await gateway.settled(
    gateway.send('responses', { model: 'm', input: 'hi', stream: true }),
  );
  assert.equal(status, 503);
  assert.equal(gateway.overload.load.bodyBytes, 0);
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
