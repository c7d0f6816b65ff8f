import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chatReply } from './test/chat-replies.ts';
import { startInTime } from './test/gateway-in-time.ts';

test('who names no cap reserves the longest answer of the model, else 4,096 tokens', async (t) => {
  const gateway = await startInTime({
    upstreams: { a: (isStream) => chatReply('thick', isStream) },
    // A dollar per million: tokens of output are millionths of a dollar.
    providers: { a: { prices: { '*': { input: 0, output: 1 } } } },
    routes: [{ model: '*', retries: 0 }],
    org: { budgets: [{ name: 'hard', scope: 'org', period: 'total', mode: 'hard', limit_usd: 0.005 }] },
    outputMost: (_, model) => (model === 'long' ? 8192 : null),
  });
  t.after(() => gateway.close());
  const ask = async (model: string, more: object = {}) => {
    const body = { model, messages: [{ role: 'user', content: 'hello' }], ...more };
    return (await gateway.settled(gateway.ask('chat', body))).status;
  };
  assert.equal(await ask('a/unknown'), 200);
  assert.equal(await ask('a/long'), 402);
  assert.equal(await ask('a/long', { max_tokens: 100 }), 200);
  assert.equal(await ask('a/unknown', { n: 2 }), 402, 'each choice may be as long');
});
