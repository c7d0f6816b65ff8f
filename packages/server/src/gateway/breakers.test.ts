// What breakers do to traffic: many requests over minutes of a clock moved by hand, with the journals of the upstreams.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '@floe/contract/json';
import type { HttpCallResponse } from '@floe/testkit/http-client';
import type { ReceivedRequest } from '@floe/testkit/upstream-connection';
import type { UpstreamReply } from '@floe/testkit/upstream-reply';
import type { UpstreamTransport } from '../providers/transport.ts';
import { createUpstreamHttpTransport } from '../providers/upstream-http-transport.ts';
import { chatReply, failingReply } from './test/chat-replies.ts';
import {
  type FakeClockGateway,
  type FakeClockGatewayOptions,
  startFakeClockGateway,
} from './test/fake-clock-gateway.ts';

const TURN = { messages: [{ role: 'user', content: 'hello' }] };
const SMART = { model: 'smart', targets: ['a/m', 'b/m'], retries: 1 };

interface Health {
  a: () => UpstreamReply;
  b: () => UpstreamReply;
}

async function start(
  t: TestContext,
  health: Partial<Health> = {},
  more: Partial<FakeClockGatewayOptions> = {},
) {
  const gateway = await startFakeClockGateway({
    upstreams: {
      a: (isStream) => health.a?.() ?? chatReply('from a', isStream),
      b: (isStream) => health.b?.() ?? chatReply('from b', isStream),
    },
    routes: [SMART, { model: 'alone', targets: ['a/m'], retries: 1 }],
    random: () => 0.5,
    ...more,
  });
  t.after(() => gateway.close());
  return gateway;
}

const ask = (gateway: FakeClockGateway, model = 'smart', more: JsonObject = {}): Promise<HttpCallResponse> =>
  gateway.settled(gateway.send('chat', { model, ...TURN, ...more }));

const asked = (gateway: FakeClockGateway, id: string) => gateway.upstream(id).requests.length;

function decisionsOf(gateway: FakeClockGateway, step: string): string[] {
  const row = gateway.rows.at(-1) ?? assert.fail('no row');
  const decisions: { step: string; outcome: string; reason: string }[] = JSON.parse(row.decisions_json);
  return decisions.filter((one) => one.step === step).map(({ outcome, reason }) => `${outcome}: ${reason}`);
}

/** The first `count` of these to come. */
function first<T>(count: number, promises: readonly Promise<T>[]): Promise<T[]> {
  const come: T[] = [];
  return new Promise((resolve, reject) => {
    for (const promise of promises)
      promise.then((value) => come.push(value) === count && resolve([...come]), reject);
  });
}

const probeOf = (gateway: FakeClockGateway, id: string) =>
  gateway.breakers.list('acme').find(({ provider }) => provider === id)?.probe;

/** Fails often enough to open the breaker of a/m. */
async function breakA(gateway: FakeClockGateway): Promise<void> {
  for (let n = 0; n < 3; n += 1) await ask(gateway);
  assert.equal(gateway.breakers.list('acme')[0]?.state, 'open');
}

test('a provider that is down for a minute receives few requests, and all traffic within 30 seconds of its recovery', async (t) => {
  const health: Partial<Health> = { a: () => failingReply(503) };
  const gateway = await start(t, health);
  let backAfter: number | null = null;
  let fromA = 0;
  for (let second = 0; second < 130; second += 1) {
    if (second === 60) delete health.a;
    const answer = await ask(gateway);
    assert.equal(answer.status, 200, `second ${second}: ${answer.text}`);
    const isFromA = answer.headers['x-floe-provider'] === 'a';
    if (isFromA && second >= 60) backAfter ??= second - 60;
    if (isFromA && second >= 100) fromA += 1;
    if (second === 59) assert.ok(asked(gateway, 'a') <= 12, `asked ${asked(gateway, 'a')} times while down`);
    await gateway.advance(1000);
  }
  assert.ok(backAfter !== null && backAfter <= 30, `back after ${backAfter} s`);
  assert.equal(fromA, 30, 'all of the traffic is back');
  const states = gateway.events.map(({ state }) => state);
  assert.equal(states[0], 'open');
  assert.deepEqual(states.slice(-3), ['half_open', 'ramping', 'closed']);
});

test('of 64 requests to a half-open breaker, exactly one is the probe', async (t) => {
  const health: Partial<Health> = { a: () => failingReply(503) };
  const gateway = await start(t, health);
  await breakA(gateway);
  health.a = () => ({ ...chatReply('from a', false), isPaced: true });
  await gateway.advance(6000);
  const before = asked(gateway, 'a');
  const answers = Array.from({ length: 64 }, () => gateway.send('chat', { model: 'smart', ...TURN }));
  const early = await gateway.settled(first(63, answers));
  assert.ok(early.every(({ headers }) => headers['x-floe-provider'] === 'b'));
  assert.equal(asked(gateway, 'a') - before, 1);
  gateway.upstream('a').gate.open();
  const all = await gateway.settled(Promise.all(answers));
  assert.ok(all.every(({ status }) => status === 200));
  assert.equal(asked(gateway, 'a') - before, 1);
  assert.equal(gateway.breakers.list('acme')[0]?.state, 'ramping');
});

test('a failed probe opens the breaker again for a longer time', async (t) => {
  const gateway = await start(t, { a: () => failingReply(500) });
  await breakA(gateway);
  await gateway.advance(5500);
  const before = asked(gateway, 'a');
  assert.equal((await ask(gateway)).headers['x-floe-provider'], 'b');
  assert.match(decisionsOf(gateway, 'breaker').join(), /probe: a\/m/);
  await gateway.advance(5500);
  await ask(gateway);
  assert.equal(asked(gateway, 'a') - before, 1, 'still open after twice the first time');
  assert.match(
    decisionsOf(gateway, 'breaker').join(),
    /skipped: a\/m: its breaker is open for another \d+ s \(/,
  );
});

test('if the client of the probe disconnects, the next request is the probe', async (t) => {
  const health: Partial<Health> = { a: () => failingReply(503) };
  const gateway = await start(t, health);
  await breakA(gateway);
  health.a = () => ({ ...chatReply('from a', false), isPaced: true });
  await gateway.advance(6000);
  const leaving = new AbortController();
  const left = gateway.send('chat', { model: 'smart', ...TURN }, { signal: leaving.signal });
  const failed = assert.rejects(left);
  const request = (await gateway.settled(gateway.upstream('a').waitForRequests(4))).at(-1);
  leaving.abort();
  await failed;
  delete health.a;
  // The server has noticed as soon as its upstream has.
  await gateway.settled(request?.settled ?? assert.fail());
  assert.equal((await ask(gateway)).headers['x-floe-provider'], 'a');
});

/** Opens the breakers of a and b. Then a answers a request with `status` after the breaker of b may admit a probe. */
async function answerLate(t: TestContext, status: number, more: Partial<FakeClockGatewayOptions> = {}) {
  const health: Partial<Health> = { a: () => failingReply(503), b: () => failingReply(503) };
  const gateway = await start(t, health, more);
  for (let n = 0; n < 3; n += 1) await ask(gateway);
  health.a = () => ({ ...failingReply(status), isPaced: true });
  const answer = gateway.send('chat', { model: 'smart', ...TURN });
  await gateway.settled(gateway.upstream('a').gate.arrivalCount(1));
  await gateway.advance(15_000);
  gateway.upstream('a').gate.open();
  return { gateway, answer: await gateway.settled(answer) };
}

test('if an invalid request ends the attempts, no other target waits for a probe that is never sent', async (t) => {
  const { gateway, answer } = await answerLate(t, 400);
  assert.equal(answer.status, 400);
  assert.equal(probeOf(gateway, 'b'), 'next_request');
});

test('a target whose deadline has passed does not keep its probe', async (t) => {
  const { gateway } = await answerLate(t, 503, {
    providers: { b: { timeouts: { connect_ms: 11_000, headers_ms: 11_500, total_ms: 12_000 } } },
  });
  assert.equal(probeOf(gateway, 'b'), 'next_request');
});

test('a probe that Floe could not send for lack of open files does not close the breaker', async (t) => {
  const transport = createUpstreamHttpTransport();
  let isExhausted = false;
  const limited: UpstreamTransport = {
    close: () => transport.close(),
    dispatch(request, handler) {
      if (!isExhausted) return transport.dispatch(request, handler);
      queueMicrotask(() => handler.onError(Object.assign(new Error('connect EMFILE'), { code: 'EMFILE' })));
      return () => undefined;
    },
  };
  const health: Partial<Health> = { a: () => failingReply(503) };
  const gateway = await start(t, health, { dependencies: { transport: limited } });
  await breakA(gateway);
  await gateway.advance(6000);
  isExhausted = true;
  await ask(gateway);
  const [view] = gateway.breakers.list('acme');
  assert.deepEqual([view?.state, view?.probe], ['half_open', 'next_request']);
});

test('if every breaker is open, each target still receives one request at a time', async (t) => {
  const health: Partial<Health> = { a: () => failingReply(503), b: () => failingReply(500) };
  const gateway = await start(t, health);
  for (let n = 0; n < 3; n += 1) await ask(gateway);
  const before = [asked(gateway, 'a'), asked(gateway, 'b')] as const;
  const failed = await ask(gateway);
  assert.equal(failed.status, 502);
  assert.deepEqual([asked(gateway, 'a') - before[0], asked(gateway, 'b') - before[1]], [1, 1]);
  assert.match(decisionsOf(gateway, 'breaker').join(), /panic: a\/m: no other target is available/);
  delete health.b;
  assert.equal((await ask(gateway)).headers['x-floe-provider'], 'b');
});

test('while the only target is down, it receives one request at a time, and others fail immediately with a retry time', async (t) => {
  const health: Partial<Health> = { a: () => failingReply(503) };
  const gateway = await start(t, health);
  for (let n = 0; n < 5; n += 1) await ask(gateway, 'alone');
  assert.equal(gateway.breakers.list('acme')[0]?.state, 'open');
  const before = asked(gateway, 'a');
  health.a = () => ({ ...failingReply(503), isPaced: true });
  const crowd = Array.from({ length: 40 }, () => gateway.send('chat', { model: 'alone', ...TURN }));
  const refused = await gateway.settled(first(39, crowd), 0);
  assert.equal(asked(gateway, 'a') - before, 1, 'in flight at the dead target');
  for (const { status, headers, text } of refused) {
    assert.deepEqual([status, /no_healthy_target/.test(text)], [503, true], text);
    const waitMs = Number(headers['retry-after-ms']);
    assert.ok(waitMs > 0 && waitMs <= 24_000, String(waitMs));
  }
  gateway.upstream('a').gate.open();
  await gateway.settled(Promise.all(crowd));
  assert.equal(asked(gateway, 'a') - before, 1);
});

test('a single target that recovers has all traffic back within seconds', async (t) => {
  const health: Partial<Health> = { a: () => failingReply(503) };
  const gateway = await start(t, health);
  for (let n = 0; n < 5; n += 1) await ask(gateway, 'alone');
  delete health.a;
  const served: number[] = [];
  for (let second = 0; second < 12; second += 1) {
    const crowd = Array.from({ length: 20 }, () => gateway.send('chat', { model: 'alone', ...TURN }));
    const all = await gateway.settled(Promise.all(crowd), 0);
    served.push(all.filter(({ status }) => status === 200).length);
    await gateway.advance(1000);
  }
  assert.ok((served[0] ?? 0) > 0, 'nobody waits for the probe');
  assert.equal(served.at(-1), 20, served.join());
});

test('a breaker whose delay has passed is shown as half open before the next request', async (t) => {
  const gateway = await start(t, { a: () => failingReply(503) });
  await breakA(gateway);
  assert.equal(gateway.breakers.list('acme')[0]?.probe, null);
  await gateway.advance(25_000);
  const [view] = gateway.breakers.list('acme');
  assert.deepEqual([view?.state, view?.probe, view?.waitMs], ['half_open', 'next_request', 0]);
});

test('a rate limit is a pause and not a failure: the target receives no request until it ends', async (t) => {
  const health: Partial<Health> = { a: () => failingReply(429, { 'retry-after': '30' }) };
  const gateway = await start(t, health);
  assert.equal((await ask(gateway)).headers['x-floe-provider'], 'b');
  delete health.a;
  for (let second = 0; second < 29; second += 1) {
    assert.equal((await ask(gateway)).headers['x-floe-provider'], 'b', `second ${second}`);
    await gateway.advance(1000);
  }
  assert.equal(asked(gateway, 'a'), 1);
  await gateway.advance(1100);
  assert.equal((await ask(gateway)).headers['x-floe-provider'], 'a');
  assert.deepEqual(gateway.events, []);
});

test('a short pause of the only target is waited for, and a long one is returned to the client', async (t) => {
  const health: Partial<Health> = { a: () => failingReply(429, { 'retry-after': '60' }) };
  const gateway = await start(t, health);
  assert.equal((await ask(gateway, 'alone')).status, 429);
  const told = await ask(gateway, 'alone');
  assert.deepEqual([told.status, told.headers['retry-after'], asked(gateway, 'a')], [429, '60', 1]);
  await gateway.advance(55_000);
  delete health.a;
  assert.equal((await ask(gateway, 'alone')).status, 200);
  assert.equal(asked(gateway, 'a'), 2);
});

test('a rejected credential is excluded immediately, and another credential of the provider is used', async (t) => {
  const credentials = ['one', 'two'].map((name) => ({ name, api_key: `key-${name}` }));
  const isOne = ({ headers }: ReceivedRequest) => headers['authorization'] === 'Bearer key-one';
  const gateway = await startFakeClockGateway({
    upstreams: {
      a: (isStream, request) => (isOne(request) ? failingReply(401) : chatReply('from a', isStream)),
    },
    providers: { a: { api_key: undefined, credentials } },
    routes: [SMART, { model: 'alone', targets: ['a/m'], retries: 1 }],
  });
  t.after(() => gateway.close());
  for (let n = 0; n < 6; n += 1) assert.equal((await ask(gateway, 'alone')).status, 200);
  assert.equal(gateway.upstream('a').requests.filter(isOne).length, 1);
  const [event] = gateway.events;
  assert.deepEqual([event?.credential, event?.state, event?.isCredential], ['one', 'open', true]);
});

test('a forced breaker state applies until it expires', async (t) => {
  const gateway = await start(t);
  const name = { orgId: 'acme', provider: 'a', credential: 'default', model: 'm' };
  const until = gateway.clock.now() + 60_000;
  gateway.breakers.setForcedStates([{ ...name, state: 'open', until, reason: 'maintenance', by: 'jo' }]);
  assert.equal((await ask(gateway)).headers['x-floe-provider'], 'b');
  assert.match(decisionsOf(gateway, 'breaker').join(), /was forced open/);
  const none = await ask(gateway, 'alone');
  assert.equal(none.status, 503);
  assert.match(none.text, /no_healthy_target/);
  await gateway.advance(61_000);
  assert.equal((await ask(gateway)).headers['x-floe-provider'], 'a');
});

test('during an outage, retries stay within the retry budget of the target', async (t) => {
  const gateway = await start(
    t,
    { a: () => failingReply(503) },
    { providers: { a: { breaker: { enabled: false } } } },
  );
  for (let n = 0; n < 60; n += 1) assert.equal((await ask(gateway, 'alone')).status, 502);
  assert.equal(asked(gateway, 'a'), 60 + 30);
  assert.match(decisionsOf(gateway, 'send').join(), /no_retry: a\/m: the retry budget/);
});
