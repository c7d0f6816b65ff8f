import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '@floe/contract/json';
import { FakeClock } from '@floe/testkit/fake-clock';
import { startFakeUpstream } from '@floe/testkit/fake-upstream';
import { createJsonReply } from '@floe/testkit/upstream-reply';
import { InMemoryResponseCache } from '../../store/cache/in-memory-response-cache.ts';
import { chatReply, failingReply } from '../test/chat-replies.ts';
import { startFakeClockGateway } from '../test/fake-clock-gateway.ts';

const BODY = { model: 'a/m', messages: [{ role: 'user', content: 'hello' }] };
const CONVERSE = {
  output: { message: { role: 'assistant', content: [{ text: 'hello' }] } },
  stopReason: 'end_turn',
  usage: { inputTokens: 1, outputTokens: 1 },
};

/** Sends the same request with each version of the provider's settings, and returns how the cache was used. */
async function askWith(t: TestContext, versions: readonly JsonObject[]): Promise<(string | undefined)[]> {
  const upstream = await startFakeUpstream({
    respond: ({ path }) =>
      path.includes('converse') ? createJsonReply(CONVERSE) : chatReply('hello', false),
  });
  t.after(() => upstream.close());
  const answerCache = new InMemoryResponseCache(new FakeClock());
  const outcomes = [];
  for (const settings of versions) {
    const gateway = await startFakeClockGateway({
      upstreams: { a: () => chatReply('unused', false) },
      providers: { a: { base_url: `${upstream.url}/v1`, ...settings } },
      routes: [{ model: '*', retries: 0 }],
      org: { cache: { enabled: true } },
      dependencies: { answerCache },
    });
    t.after(() => gateway.close());
    const answer = await gateway.settled(gateway.send('chat', BODY));
    assert.equal(answer.status, 200, answer.text);
    outcomes.push(answer.headers['x-floe-cache']);
  }
  return outcomes;
}

test('a response is cached for the headers that the operator configured', async (t) => {
  const settings = [{}, { headers: { 'x-tenant': 'one' } }, { headers: { 'x-tenant': 'two' } }, {}];
  assert.deepEqual(await askWith(t, settings), ['miss', 'miss', 'miss', 'hit']);
});

test('a response is cached for the identity that signs the requests', async (t) => {
  const shared = { kind: 'bedrock', region: 'test-1', api_key: undefined };
  const roles = ['one', 'two', 'one'].map((role) => ({
    ...shared,
    role_arn: `arn:aws:iam::123456789012:role/${role}`,
  }));
  assert.deepEqual(await askWith(t, roles), ['miss', 'miss', 'hit']);
});

test('a response of the next target is not cached for the first, although neither has a credential', async (t) => {
  const gateway = await startFakeClockGateway({
    upstreams: { a: () => failingReply(500), b: (isStream) => chatReply('from b', isStream) },
    providers: { a: { api_key: undefined }, b: { api_key: undefined } },
    routes: [{ model: 'both', targets: ['a/m', 'b/m'], retries: 0 }],
    org: { cache: { enabled: true } },
  });
  t.after(() => gateway.close());
  const ask = () => gateway.settled(gateway.send('chat', { ...BODY, model: 'both' }));
  const answers = [await ask(), await ask()];
  assert.deepEqual(
    answers.map(({ status, headers }) => [status, headers['x-floe-cache']]),
    [
      [200, 'miss'],
      [200, 'miss'],
    ],
  );
});

test("a response to a caller's own credential is not cached, and equal requests do not wait for it", async (t) => {
  const gateway = await startFakeClockGateway({
    upstreams: { a: (isStream) => ({ ...chatReply('from a', isStream), isPaced: true }) },
    providers: { a: { api_key: undefined, credential_source: 'caller' } },
    routes: [{ model: '*', retries: 0 }],
    org: { cache: { enabled: true } },
  });
  t.after(() => gateway.close());
  const headers = { 'x-api-key': 'secret-of-caller' };
  const answers = [1, 2].map(() => gateway.send('chat', BODY, { headers }));
  await gateway.settled(gateway.upstream('a').waitForRequests(2), 0);
  gateway.upstream('a').gate.open();
  const all = await gateway.settled(Promise.all(answers));
  assert.deepEqual(
    all.map((answer) => answer.headers['x-floe-cache']),
    ['bypass', 'bypass'],
  );
});
