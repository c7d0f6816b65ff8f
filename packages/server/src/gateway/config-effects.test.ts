// Fields of floe.yaml whose effect shows in a request: each beside the same request without it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createJsonReply } from '@floe/testkit/upstream-reply';
import { type FakeClockGatewayOptions, startFakeClockGateway } from './test/fake-clock-gateway.ts';

const ANSWER = {
  id: 'c-1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 7, completion_tokens: 2, total_tokens: 9 },
};
const ASK = { messages: [{ role: 'user', content: 'hello' }] };

const started = (options: Omit<FakeClockGatewayOptions, 'upstreams'>) =>
  startFakeClockGateway({
    upstreams: { a: () => createJsonReply(ANSWER), b: () => createJsonReply(ANSWER) },
    ...options,
  });

test('a disabled route has no effect', async (t) => {
  for (const enabled of [true, false]) {
    const gateway = await started({ routes: [{ model: 'smart', targets: ['b/m'], enabled }] });
    t.after(() => gateway.close());
    const answer = await gateway.settled(gateway.send('chat', { model: 'smart', ...ASK }));
    assert.equal(answer.status, enabled ? 200 : 404, answer.text);
    assert.equal(gateway.upstream('b').requests.length, enabled ? 1 : 0);
  }
});

test('a response is reused for ttl_seconds and generated again afterwards', async (t) => {
  const gateway = await started({
    routes: [],
    org: { cache: { enabled: true, ttl_seconds: 60, scope: 'org' } },
  });
  t.after(() => gateway.close());
  const asked = async () => {
    const answer = await gateway.settled(gateway.send('chat', { model: 'a/m', ...ASK }));
    assert.equal(answer.status, 200, answer.text);
    return gateway.upstream('a').requests.length;
  };
  assert.deepEqual([await asked(), await asked()], [1, 1]);
  await gateway.advance(58_000);
  assert.equal(await asked(), 1);
  await gateway.advance(3_000);
  assert.equal(await asked(), 2);
});

test('a request that a policy denies receives the message of the policy', async (t) => {
  for (const message of ['Ask the data team.', undefined]) {
    const policy = {
      name: 'no-hello',
      on: 'request',
      when: 'request.model == "m" || true',
      action: 'deny',
      mode: 'enforce',
      ...(message === undefined ? {} : { message }),
    };
    const gateway = await started({ routes: [], org: { policies: [policy] } });
    t.after(() => gateway.close());
    const answer = await gateway.settled(gateway.send('chat', { model: 'a/m', ...ASK }));
    assert.equal(answer.status, 403, answer.text);
    assert.equal(answer.text.includes('Ask the data team.'), message !== undefined);
  }
});
