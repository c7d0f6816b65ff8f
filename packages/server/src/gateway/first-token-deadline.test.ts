// How long a stream waits for a silent target while another one could answer it.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '@floe/contract/json';
import { FakeClock, nextEventLoopTurn } from '@floe/testkit/fake-clock';
import { findInjectedFault } from '@floe/testkit/fault-table';
import type { InjectedFault } from '@floe/testkit/injected-fault';
import type { UpstreamReply } from '@floe/testkit/upstream-reply';
import fc from 'fast-check';
import { FirstTokenDeadlines } from './first-token-deadline.ts';
import { chatReply, failingReply } from './test/chat-replies.ts';
import { type FakeClockGateway, startFakeClockGateway } from './test/fake-clock-gateway.ts';

const TURN = { messages: [{ role: 'user', content: 'hello' }] };

interface Answers {
  a: (isStream: boolean) => UpstreamReply;
  b: (isStream: boolean) => UpstreamReply;
}

async function start(t: TestContext, answers: Partial<Answers> = {}, retries = 1): Promise<FakeClockGateway> {
  const gateway = await startFakeClockGateway({
    upstreams: {
      a: (isStream) => answers.a?.(isStream) ?? chatReply('from a', isStream),
      b: (isStream) => answers.b?.(isStream) ?? chatReply('from b', isStream),
    },
    routes: [
      { model: 'two', targets: ['a/m', 'b/m'], retries },
      { model: 'one', targets: ['a/m'], retries },
    ],
    random: () => 0.5,
  });
  t.after(() => gateway.close());
  return gateway;
}

/** Accepts the request and closes its connection without a byte when the gate opens; healthy afterwards. */
const CLOSES_LATE: InjectedFault = {
  name: 'closes-late',
  description: 'closes without an answer when the gate is released',
  requestCount: 1,
  planSteps: () => [{ do: 'gate' }, { do: 'fin' }],
};

const ask = (gateway: FakeClockGateway, body: JsonObject = {}, headers = {}) =>
  gateway.send('chat', { model: 'two', stream: true, ...TURN, ...body }, { headers });

function decisions(gateway: FakeClockGateway): string {
  return gateway.rows.at(-1)?.decisions_json ?? '';
}

/** A silent first target: a stream is asked for, and nothing of it is moved on before `ms` have passed. */
async function movesOnAfter(gateway: FakeClockGateway, ms: number): Promise<void> {
  const [a, b] = [gateway.upstream('a'), gateway.upstream('b')];
  await a.setFaults(findInjectedFault('accept-and-silence'));
  const before = b.requests.length;
  const answer = ask(gateway);
  await a.waitForRequests(a.requests.length + 1);
  gateway.clock.advance(ms - 1);
  await nextEventLoopTurn();
  assert.equal(b.requests.length, before, `asked before ${ms} ms`);
  gateway.clock.advance(1);
  assert.equal((await gateway.settled(answer, 0)).status, 200);
  assert.equal(b.requests.length, before + 1);
}

/** Its only hope: a stream is not given up before the configured deadline of 900 s. */
async function isWaitedFor(gateway: FakeClockGateway, body: JsonObject): Promise<void> {
  const a = gateway.upstream('a');
  await a.setFaults(findInjectedFault('accept-and-silence'));
  const answer = ask(gateway, body);
  await a.waitForRequests(a.requests.length + 1);
  gateway.clock.advance(899_000);
  await nextEventLoopTurn();
  assert.equal(gateway.rows.length, 0);
  gateway.clock.advance(1_000);
  await gateway.settled(answer, 0);
  assert.match(gateway.rows.at(-1)?.attempts_json ?? '', /upstream_timeout/);
}

test('a stream of a silent target moves to the next target after a minute, and sooner if the target is usually fast', async (t) => {
  const gateway = await start(t);
  await movesOnAfter(gateway, 60_000);
  assert.match(
    decisions(gateway),
    /a\/m: no first token within 60000 ms \(its recent time to first token is unknown\); b\/m is available/,
  );
  await gateway.upstream('a').setFaults();
  for (let n = 0; n < 5; n += 1) await gateway.settled(ask(gateway), 0);
  await movesOnAfter(gateway, 15_000);
  assert.match(decisions(gateway), /its recent average time to first token is \d+ ms/);
});

test('without another target, a silent target has its configured timeout', async (t) => {
  await isWaitedFor(await start(t), { model: 'one' });
});

test('if the other targets are unhealthy, a silent target has its configured timeout', async (t) => {
  const gateway = await start(t);
  const until = gateway.clock.now() + 10_000_000;
  const name = { orgId: 'acme', provider: 'b', credential: 'default', model: 'm' };
  gateway.breakers.setForcedStates([{ ...name, state: 'open', until, reason: 'test', by: 'jo' }]);
  await isWaitedFor(gateway, {});
});

test('a response without streaming has its configured timeout', async (t) => {
  await isWaitedFor(await start(t), { model: 'one', stream: false });
  const gateway = await start(t);
  await gateway.upstream('a').setFaults(CLOSES_LATE);
  const answer = ask(gateway, { stream: false });
  await gateway.upstream('a').waitForRequests(1);
  gateway.clock.advance(800_000);
  await nextEventLoopTurn();
  assert.equal(gateway.upstream('b').requests.length, 0);
  gateway.upstream('a').gate.open();
  assert.equal((await gateway.settled(answer)).status, 200);
});

test('a target that closes the connection after a long silence is not retried while another target is left', async (t) => {
  for (const [silentMs, asked] of [
    [0, 2],
    [14_000, 2],
    [16_000, 1],
  ] as const) {
    const gateway = await start(t);
    await gateway.upstream('a').setFaults(CLOSES_LATE);
    const answer = ask(gateway);
    await gateway.upstream('a').waitForRequests(1);
    gateway.clock.advance(silentMs);
    gateway.upstream('a').gate.open();
    assert.equal((await gateway.settled(answer, 200)).status, 200);
    assert.equal(gateway.upstream('a').requests.length, asked, `after ${silentMs} ms`);
  }
});

test('a rate limit of up to two seconds is waited for only if the prompt cache is warm', async (t) => {
  for (const [seconds, isWarm, from] of [
    ['1', true, 'a'],
    ['2', true, 'a'],
    ['3', true, 'b'],
    ['1', false, 'b'],
  ] as const) {
    const limited = { left: 0 };
    const gateway = await start(t, {
      a: (isStream) =>
        limited.left-- > 0 ? failingReply(429, { 'retry-after': seconds }) : chatReply('from a', isStream),
    });
    const session = { 'x-session-id': 'warm' };
    if (isWarm) await gateway.settled(ask(gateway, {}, session));
    limited.left = 1;
    const answer = await gateway.settled(ask(gateway, {}, session));
    assert.match(answer.text, new RegExp(`"${from}"|from`));
    assert.equal(
      gateway.upstream('b').requests.length,
      from === 'b' ? 1 : 0,
      `${seconds} s, warm: ${isWarm}`,
    );
    assert.match(decisions(gateway), /prompt cache/, 'the reason is recorded either way');
  }
});

test('whatever its history, a deadline stays between its minimum and maximum, and a target that became slower is learned', () => {
  const history = fc.array(fc.oneof(fc.constant(null), fc.integer({ min: 0, max: 600_000 })), {
    maxLength: 60,
  });
  fc.assert(
    fc.property(history, fc.integer({ min: 1, max: 40_000 }), (events, slowMs) => {
      const clock = new FakeClock();
      const deadlines = new FirstTokenDeadlines(clock);
      for (const ms of events) {
        if (ms === null) deadlines.recordMiss('org', 'p/m');
        else deadlines.recordFirstToken('org', 'p/m', ms);
        const deadline = deadlines.deadlineMs('org', 'p/m');
        assert.ok(deadline >= 15_000 && deadline <= 120_000, String(deadline));
      }
      // It answers after `slowMs` from now on: within a few misses it is waited for long enough.
      let misses = 0;
      while (deadlines.deadlineMs('org', 'p/m') < slowMs) {
        deadlines.recordMiss('org', 'p/m');
        misses += 1;
        assert.ok(misses <= 4);
      }
    }),
  );
});
