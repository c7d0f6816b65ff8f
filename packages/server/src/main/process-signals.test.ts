import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FakeClock } from '@floe/testkit/fake-clock';
import { silentLog } from '../core/log.ts';
import { delaySignals, handleProcessSignals } from './process-signals.ts';

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR2'] as const;

/** Handles the signals of this process with steps that never end, until the test ends. */
function handleSignals(t: TestContext) {
  const before = new Map(SIGNALS.map((signal) => [signal, process.listeners(signal)]));
  const calls: string[] = [];
  const clock = new FakeClock();
  let isDelayed = true;
  t.mock.method(process, 'exit', (code: number) => void calls.push(`exit ${code}`));
  const restart = handleProcessSignals(clock, silentLog, () => void calls.push('reload'), {
    start: (reason) => {
      calls.push(`start ${reason}`);
      return new Promise(() => undefined);
    },
    skipDelay: () => {
      calls.push('skip delay');
      const wasDelayed = isDelayed;
      isDelayed = false;
      return wasDelayed;
    },
    abandonRestart: () => void calls.push('abandon restart'),
  });
  t.after(() => {
    for (const [signal, listeners] of before)
      for (const listener of process.listeners(signal))
        if (!listeners.includes(listener)) process.off(signal, listener);
  });
  return { clock, calls, restart };
}

test('a second signal skips the delay, a third one ends the process, and duplicates count as one', (t) => {
  const { clock, calls } = handleSignals(t);
  for (const waitMs of [0, 400, 600, 600]) {
    clock.advance(waitMs);
    process.emit('SIGTERM');
  }
  assert.deepEqual(calls, ['start SIGTERM', 'skip delay', 'skip delay', 'exit 1']);
});

test('the first signal during a restart lets open requests finish', (t) => {
  const { clock, calls, restart } = handleSignals(t);
  restart();
  clock.advance(100);
  process.emit('SIGTERM');
  assert.deepEqual(calls, ['start restart', 'abandon restart']);
  clock.advance(60_000);
  process.emit('SIGTERM');
  clock.advance(1_000);
  process.emit('SIGTERM');
  assert.deepEqual(calls.slice(2), ['skip delay', 'skip delay', 'exit 1']);
});

test('a restart during a shutdown has no effect', (t) => {
  const { calls, restart } = handleSignals(t);
  process.emit('SIGINT', 'SIGINT');
  restart();
  assert.deepEqual(calls, ['start SIGINT']);
});

test('delayed signals are sent again once each, and a third one ends the process', (t) => {
  const calls: string[] = [];
  t.mock.method(process, 'exit', (code: number) => void calls.push(`exit ${code}`));
  t.mock.method(process, 'kill', (_pid: number, signal: string) => calls.push(signal) > 0);
  const before = process.listenerCount('SIGTERM');
  const sendDelayedSignals = delaySignals();
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGHUP', 'SIGHUP', 'SIGINT'] as const)
    process.emit(signal, signal);
  assert.deepEqual(calls, []);
  process.emit('SIGINT', 'SIGINT');
  assert.deepEqual(calls, ['exit 1']);
  sendDelayedSignals();
  assert.deepEqual(calls.slice(1), ['SIGTERM', 'SIGHUP', 'SIGINT']);
  assert.equal(process.listenerCount('SIGTERM'), before);
});
