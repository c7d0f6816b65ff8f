import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chatReply } from './test/chat-replies.ts';
import { startFakeClockGateway } from './test/fake-clock-gateway.ts';

const startGateway = () =>
  startFakeClockGateway({
    upstreams: { a: (isStream) => chatReply('hello', isStream) },
    routes: [],
  });

const REJECTED = ['a/\ud800', 'a/m\u0000', 'a/m\nx', `a/${'m'.repeat(511)}`, `a/${'é'.repeat(256)}`];

test('a model id that is too long or not valid Unicode is rejected on every path, and not recorded', async () => {
  const gateway = await startGateway();
  try {
    const messages = [{ role: 'user', content: 'hi' }];
    for (const model of REJECTED)
      for (const answer of [
        await gateway.settled(gateway.send('chat', { model, messages })),
        await gateway.settled(gateway.send('chat', { model, messages, stream: true })),
        await gateway.settled(gateway.send('responses', { model, input: 'hi' })),
        await gateway.settled(gateway.send('messages', { model, messages, max_tokens: 5 })),
        await gateway.settled(gateway.sendTo('embeddings', { model, input: 'hi' })),
        await gateway.settled(gateway.sendTo('images/generations', { model, prompt: 'hi' })),
      ])
        assert.deepEqual([answer.status, /model/.test(answer.text)], [404, true]);
    assert.equal(gateway.upstream('a').requests.length, 0);
    assert.deepEqual([...new Set(gateway.rows.map((row) => row.model_requested))], [null]);
    const longest = await gateway.settled(gateway.send('chat', { model: `a/${'m'.repeat(510)}`, messages }));
    assert.equal(longest.status, 200);
  } finally {
    await gateway.close();
  }
});
