// Which target a request goes to first, and where a conversation stays.
// Tier: ci. Thousands of requests for each strategy.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '@floe/contract/json';
import { createResponseSteps } from '@floe/testkit/fake-response';
import { findInjectedFault } from '@floe/testkit/fault-table';
import { type FaultContext, limitFaultRequests } from '@floe/testkit/injected-fault';
import type { ReceivedRequest } from '@floe/testkit/upstream-connection';
import { createJsonReply } from '@floe/testkit/upstream-reply';
import { chatReply, failingReply } from './test/chat-replies.ts';
import { type FakeClockGateway, startFakeClockGateway } from './test/fake-clock-gateway.ts';
import { createFixedOwners } from './test/no-stores.ts';

const TURN = { messages: [{ role: 'user', content: 'hello' }] };
const THREE = ['a/m', 'b/m', 'c/m'];

const VECTORS = {
  object: 'list',
  model: 'm',
  data: [{ object: 'embedding', index: 0, embedding: [0.5] }],
  usage: { prompt_tokens: 1, total_tokens: 1 },
};

async function start(
  t: TestContext,
  down: ReadonlySet<string> = new Set(),
  seed = 1,
): Promise<FakeClockGateway> {
  const answer =
    (id: string) =>
    (isStream: boolean, { path }: ReceivedRequest) => {
      if (down.has(id)) return failingReply(503);
      return path.endsWith('/embeddings') ? createJsonReply(VECTORS) : chatReply(`from ${id}`, isStream);
    };
  let state = seed;
  const random = () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  const gateway = await startFakeClockGateway({
    upstreams: { a: answer('a'), b: answer('b'), c: answer('c') },
    providers: {
      c: { api_key: undefined, credentials: ['one', 'two', 'six'].map(credential) },
    },
    routes: [
      {
        model: 'spread',
        strategy: 'weighted',
        targets: [weighted('a/m', 3), weighted('b/m', 1)],
        retries: 0,
      },
      { model: 'even', strategy: 'weighted', targets: THREE, retries: 0 },
      { model: 'quick', strategy: 'least_latency', targets: THREE, retries: 0 },
      { model: 'plain', targets: THREE, retries: 0 },
      { model: 'keys', targets: ['c/m'], retries: 0 },
    ],
    random,
    dependencies: { resourceOwners: createFixedOwners('c', 'key_1') },
  });
  t.after(() => gateway.close());
  return gateway;
}

const weighted = (model: string, weight: number) => ({ model, weight });
const credential = (name: string) => ({ name, api_key: `key-${name}`, weight: name === 'six' ? 6 : 1 });

async function providerOf(
  gateway: FakeClockGateway,
  model: string,
  more: JsonObject = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const answer = await gateway.settled(gateway.send('chat', { model, ...TURN, ...more }, { headers }));
  assert.equal(answer.status, 200, answer.text);
  return answer.headers['x-floe-provider'] ?? '';
}

const credentialOf = (gateway: FakeClockGateway): string =>
  JSON.parse(gateway.rows.at(-1)?.attempts_json ?? '[]').at(-1).credential;

test('weights distribute the traffic, at random for single requests and by id for conversations', async (t) => {
  const gateway = await start(t);
  const counts = { single: 0, named: 0 };
  for (let n = 0; n < 200; n += 1) {
    if ((await providerOf(gateway, 'spread')) === 'a') counts.single += 1;
    if ((await providerOf(gateway, 'spread', { prompt_cache_key: `chat-${n}` })) === 'a') counts.named += 1;
  }
  for (const count of Object.values(counts)) assert.ok(count > 125 && count < 175, JSON.stringify(counts));
});

/** Every way to reach a model, with the least body each needs. */
const MODEL_PATHS = [
  'chat',
  'responses',
  'messages',
  'embeddings',
  'images/generations',
  'audio/speech',
  'moderations',
  'rerank',
] as const;
type ModelPath = (typeof MODEL_PATHS)[number];
const BODIES: Readonly<Record<ModelPath, JsonObject>> = {
  chat: TURN,
  responses: { input: 'hello' },
  messages: { ...TURN, max_tokens: 9 },
  embeddings: { input: 'hello' },
  'images/generations': { prompt: 'a cat' },
  'audio/speech': { input: 'hello', voice: 'v' },
  moderations: { input: 'hello' },
  rerank: { query: 'q', documents: ['d'] },
};

async function providerAt(
  gateway: FakeClockGateway,
  path: ModelPath,
  model: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const body = { model, ...BODIES[path] };
  const isDialect = path === 'chat' || path === 'responses' || path === 'messages';
  const asked = isDialect ? gateway.send(path, body, { headers }) : gateway.sendTo(path, body, headers);
  const answer = await gateway.settled(asked);
  assert.equal(answer.status, 200, `${path}: ${answer.text}`);
  return answer.headers['x-floe-provider'] ?? '';
}

for (const path of MODEL_PATHS)
  test(`${path}: strategy, weights and conversation of the route determine the target`, async (t) => {
    const down = new Set<string>();
    const gateway = await start(t, down);
    let single = 0;
    let named = 0;
    for (let n = 0; n < 120; n += 1) {
      if ((await providerAt(gateway, path, 'spread')) === 'a') single += 1;
      if ((await providerAt(gateway, path, 'spread', { 'x-session-id': `s-${n}` })) === 'a') named += 1;
    }
    // Three quarters of 120, within four standard deviations.
    for (const count of [single, named]) assert.ok(count > 70 && count < 110, `${single} ${named} of 120`);
    down.add('a');
    assert.equal(await providerAt(gateway, path, 'plain', { 'x-session-id': 'stays' }), 'b');
    down.delete('a');
    assert.equal(await providerAt(gateway, path, 'plain', { 'x-session-id': 'stays' }), 'b');
    assert.equal(await providerAt(gateway, path, 'plain'), 'a');
    assert.match(gateway.rows.at(-2)?.decisions_json ?? '', /the conversation stays on its previous target/);
    // Whoever failed is the slowest, so the quickest-first order leaves it alone from then on.
    down.add('a');
    const order = [await providerAt(gateway, path, 'quick'), await providerAt(gateway, path, 'quick')];
    down.delete('a');
    assert.ok(!order.includes('a'));
    assert.notEqual(await providerAt(gateway, path, 'quick'), 'a');
    // Each credential of a provider has its share.
    const used = new Set<string>();
    for (let n = 0; n < 8; n += 1) {
      await providerAt(gateway, path, 'keys');
      used.add(credentialOf(gateway));
    }
    assert.ok(used.size > 1, `${[...used].join()}`);
  });

test('two processes send a conversation to the same target and credential without communication', async (t) => {
  const one = await start(t, new Set(), 7);
  const two = await start(t, new Set(), 99);
  for (let n = 0; n < 12; n += 1) {
    const headers = { 'x-session-id': `session-${n}` };
    assert.equal(await providerOf(one, 'even', {}, headers), await providerOf(two, 'even', {}, headers));
    await providerOf(one, 'keys', {}, headers);
    await providerOf(two, 'keys', {}, headers);
    assert.equal(credentialOf(one), credentialOf(two));
  }
});

test('a conversation is recognized by its session header, its cache key or its conversation id', async (t) => {
  const gateway = await start(t);
  const ways: readonly [JsonObject, Readonly<Record<string, string>>][] = [
    [{}, { 'x-some-agent-session-id': 's-1' }],
    [{}, { 'session-id': 's-2' }],
    [{ prompt_cache_key: 's-3' }, {}],
    [{ conversation: 'conv_4' }, {}],
    [{ conversation: { id: 'conv_5' } }, {}],
  ];
  for (const [more, headers] of ways) {
    const seen = new Set<string>();
    for (let n = 0; n < 8; n += 1) {
      await providerOf(gateway, 'keys', more, headers);
      seen.add(credentialOf(gateway));
    }
    assert.equal(seen.size, 1, JSON.stringify([more, headers]));
  }
  const seen = new Set<string>();
  for (let n = 0; n < 8; n += 1) {
    await providerOf(gateway, 'keys', { user: 'same-user' });
    seen.add(credentialOf(gateway));
  }
  assert.ok(seen.size > 1, 'an end user is no conversation');
});

test('a conversation that moved stays on its target until a failure or a pause of five minutes', async (t) => {
  const down = new Set(['a']);
  const gateway = await start(t, down);
  const chat = () => providerOf(gateway, 'plain', { prompt_cache_key: 'one' });
  assert.equal(await chat(), 'b');
  down.delete('a');
  await gateway.advance(200_000);
  assert.equal(await chat(), 'b');
  assert.match(gateway.rows.at(-1)?.decisions_json ?? '', /the conversation stays on its previous target/);
  assert.equal(await providerOf(gateway, 'plain', { prompt_cache_key: 'two' }), 'a');
  down.add('b');
  assert.equal(await chat(), 'a');
  down.delete('b');
  assert.equal(await chat(), 'a');
  down.add('a');
  assert.equal(await chat(), 'b');
  down.delete('a');
  await gateway.advance(300_001);
  assert.equal(await chat(), 'a');
});

test('a conversation stays on its target after errors that the target did not cause', async (t) => {
  const down = new Set(['a']);
  const gateway = await start(t, down);
  const chat = () => providerOf(gateway, 'plain', { prompt_cache_key: 'one' });
  assert.equal(await chat(), 'b');
  down.delete('a');
  await gateway.upstream('b').setFaults(limitFaultRequests(findInjectedFault('content-filter-400'), 1));
  const refused = gateway.send('chat', { model: 'plain', ...TURN, prompt_cache_key: 'one' });
  assert.equal((await gateway.settled(refused)).status, 400);
  assert.equal(await chat(), 'b');
});

test('the target with the lowest recent latency is first, and a slow target is tried again later', async (t) => {
  const gateway = await start(t);
  for (const [id, ms] of [
    ['a', 900],
    ['b', 300],
    ['c', 600],
  ] as const) {
    const slow = gateway.settled(gateway.upstream(id).waitForRequests(1), 0);
    await gateway.upstream(id).setFaults({ ...PACED, name: `slow-${id}` });
    const answer = gateway.send('chat', { model: 'quick', ...TURN });
    await slow;
    gateway.clock.advance(ms);
    gateway.upstream(id).gate.open();
    assert.equal((await gateway.settled(answer, 0)).headers['x-floe-provider'], id);
    await gateway.upstream(id).setFaults();
  }
  // Everything answers in no time on this clock, so whoever is asked becomes quicker still.
  assert.equal(await providerOf(gateway, 'quick'), 'b');
  assert.equal(await providerOf(gateway, 'quick'), 'b');
});

const PACED = {
  description: 'answers when the gate is released',
  requestCount: Number.POSITIVE_INFINITY,
  planSteps: ({ answer, delivery }: FaultContext) => [
    { do: 'gate' } as const,
    ...createResponseSteps(answer, delivery),
  ],
};
