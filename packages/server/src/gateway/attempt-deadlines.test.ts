import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '@floe/testkit/fake-clock';
import { AttemptDeadlines } from './attempt-deadlines.ts';

const TIMEOUTS = {
  connectMs: 5_000,
  headersMs: 60_000,
  firstTokenMs: 30_000,
  idleMs: 20_000,
  totalMs: 100_000,
};

function started(totalMs = TIMEOUTS.totalMs) {
  const clock = new FakeClock();
  const expired: string[] = [];
  const deadlines = new AttemptDeadlines(
    clock,
    TIMEOUTS,
    {
      acceptedAt: clock.monotonic(),
      deadlineAt: clock.monotonic() + totalMs,
      keepAlive: null,
      failoverDeadline: null,
    },
    (phase) => expired.push(phase),
  );
  return { clock, expired, deadlines };
}

test('a connection that does not open ends at the connect deadline', () => {
  const { clock, expired } = started();
  clock.advance(4_999);
  assert.deepEqual(expired, []);
  clock.advance(1);
  assert.deepEqual(expired, ['connect']);
});

test('each phase has its full time from its start', () => {
  const { clock, expired, deadlines } = started();
  clock.advance(4_000);
  deadlines.enterPhase('headers');
  clock.advance(59_999);
  assert.deepEqual(expired, []);
  deadlines.enterPhase('first_token');
  clock.advance(30_000);
  assert.deepEqual(expired, ['first_token']);
});

test('bytes do not extend the first-token deadline, because comments are bytes too', () => {
  const { clock, expired, deadlines } = started();
  deadlines.enterPhase('first_token');
  for (let i = 0; i < 29; i++) {
    clock.advance(1_000);
    deadlines.onUpstreamByte();
  }
  clock.advance(1_000);
  assert.deepEqual(expired, ['first_token']);
});

test('each byte extends the idle deadline, and silence ends the attempt', () => {
  const { clock, expired, deadlines } = started();
  deadlines.enterPhase('idle');
  for (let i = 0; i < 4; i++) {
    clock.advance(19_000);
    deadlines.onUpstreamByte();
  }
  assert.deepEqual(expired, []);
  clock.advance(20_000);
  assert.deepEqual(expired, ['idle']);
});

test('the total deadline takes precedence over every phase', () => {
  const { clock, expired, deadlines } = started(10_000);
  deadlines.enterPhase('headers');
  clock.advance(10_000);
  assert.deepEqual(expired, ['total']);
});

test('a slow client pauses the idle deadline, but not the total deadline', () => {
  const { clock, expired, deadlines } = started();
  deadlines.enterPhase('idle');
  deadlines.pause();
  clock.advance(90_000);
  assert.deepEqual(expired, []);
  clock.advance(10_000);
  assert.deepEqual(expired, ['total']);
});

test('after a pause, the provider has the whole idle time again', () => {
  const { clock, expired, deadlines } = started();
  deadlines.enterPhase('idle');
  deadlines.pause();
  clock.advance(50_000);
  deadlines.resume();
  clock.advance(19_999);
  assert.deepEqual(expired, []);
  clock.advance(1);
  assert.deepEqual(expired, ['idle']);
});

test('stopped deadlines leave no timers', () => {
  const { clock, expired, deadlines } = started();
  deadlines.stop();
  assert.deepEqual(clock.pending(), []);
  clock.advance(200_000);
  assert.deepEqual(expired, []);
});

test('the total deadline starts when the request is accepted, and ends any phase', () => {
  const clock = new FakeClock();
  const told: [string, number][] = [];
  const total = {
    acceptedAt: clock.monotonic() - 40_000,
    deadlineAt: clock.monotonic() + 10_000,
    keepAlive: null,
    failoverDeadline: null,
  };
  const deadlines = new AttemptDeadlines(clock, TIMEOUTS, total, (phase, afterMs) =>
    told.push([phase, afterMs]),
  );
  deadlines.enterPhase('first_token');
  clock.advance(10_000);
  assert.deepEqual(told, [['total', 50_000]]);
});
