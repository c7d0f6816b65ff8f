import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createJsonReply } from '@floe/testkit/upstream-reply';
import { startFakeClockGateway } from './test/fake-clock-gateway.ts';

const VECTORS = { object: 'list', data: [{ index: 0, embedding: [1] }], usage: { prompt_tokens: 1 } };
const TOO_LONG = 'This model has a maximum context length of 2048 tokens.';

for (const kind of ['gemini', 'cohere'])
  test(`embeddings of ${kind} fail over after the errors that another target may not return`, async (t) => {
    let refusal = { status: 404, message: 'no such model' };
    const gateway = await startFakeClockGateway({
      upstreams: {
        a: () => createJsonReply({ error: { message: refusal.message } }, refusal.status),
        b: () => createJsonReply(VECTORS),
      },
      providers: { a: { kind } },
      routes: [
        { model: 'both', targets: ['a/m', 'b/n'], retries: 0 },
        { model: '*', retries: 0 },
      ],
    });
    t.after(() => gateway.close());
    const ask = async (model: string) =>
      (await gateway.settled(gateway.sendTo('embeddings', { model, input: 'hello' }))).status;
    for (const status of [404, 408, 412, 425]) {
      refusal = { status, message: `status ${status}` };
      assert.equal(await ask('both'), 200, `status ${status}`);
    }
    refusal = { status: 400, message: TOO_LONG };
    assert.equal(await ask('both'), 200, TOO_LONG);
    refusal = { status: 400, message: 'invalid' };
    assert.equal(await ask('both'), 400);
    refusal = { status: 404, message: 'no such model' };
    assert.equal(await ask('a/m'), 404);
  });
