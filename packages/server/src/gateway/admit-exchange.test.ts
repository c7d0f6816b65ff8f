import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chatReply } from './test/chat-replies.ts';
import { startFakeClockGateway } from './test/fake-clock-gateway.ts';

test("without max_tokens, a request reserves 4,096 tokens until the model is known, then at most the model's maximum", async (t) => {
  const gateway = await startFakeClockGateway({
    upstreams: { a: (isStream) => chatReply('thick', isStream) },
    // A dollar per million: tokens of output are millionths of a dollar.
    providers: { a: { prices: { '*': { input: 0, output: 1 } } } },
    routes: [{ model: '*', retries: 0 }],
    org: { budgets: [{ name: 'hard', scope: 'org', period: 'total', mode: 'hard', limit_usd: 0.005 }] },
    maxOutputTokens: (_, model) => (model === 'short' ? 1_000 : 100_000),
  });
  t.after(() => gateway.close());
  const ask = async (model: string, more: object = {}) => {
    const body = { model, messages: [{ role: 'user', content: 'hello' }], ...more };
    return (await gateway.settled(gateway.send('chat', body))).status;
  };
  assert.equal(await ask('a/unknown'), 200);
  assert.equal(await ask('a/short', { n: 4 }), 200);
  assert.equal(await ask('a/unknown', { max_tokens: 100 }), 200);
  assert.equal(await ask('a/unknown', { max_tokens: 5_000 }), 402);
  assert.equal(await ask('a/unknown', { n: 2 }), 402, 'each choice may be as long');
});

test('a request for any number of choices of any length has a finite reservation', async (t) => {
  const gateway = await startFakeClockGateway({
    upstreams: { a: (isStream) => chatReply('thick', isStream) },
    providers: { a: { prices: { free: { input: 0, output: 0 }, '*': { input: 0, output: 1e-6 } } } },
    routes: [{ model: '*', retries: 0 }],
    org: { budgets: [{ name: 'hard', scope: 'org', period: 'total', mode: 'hard', limit_usd: 1 }] },
  });
  t.after(() => gateway.close());
  const ask = async (model: string, n: number) => {
    const body = { model, messages: [{ role: 'user', content: 'hello' }], max_tokens: 1e20, n };
    return (await gateway.settled(gateway.send('chat', body))).status;
  };
  assert.equal(await ask('a/free', 1e308), 200);
  assert.equal(await ask('a/priced', 1), 200, 'ten million tokens cost less than a cent');
  assert.equal(await ask('a/priced', 1e308), 402);
});
