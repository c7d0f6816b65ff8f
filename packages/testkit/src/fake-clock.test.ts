import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from './fake-clock.ts';

test('timers run in order of time, then of setting, and see the time they were due', () => {
  const clock = new FakeClock(1_000_000);
  const seen: string[] = [];
  clock.after(30, () => seen.push(`c at ${clock.now()}`));
  clock.after(10, () => seen.push(`a at ${clock.now()}`));
  clock.after(10, () => seen.push(`b at ${clock.now()}`));
  clock.advance(29);
  assert.deepEqual(seen, ['a at 1000010', 'b at 1000010']);
  clock.advance(1);
  assert.deepEqual(seen, ['a at 1000010', 'b at 1000010', 'c at 1000030']);
});

test('a timer set by a timer runs in the same advance when it falls due in it', () => {
  const clock = new FakeClock(0);
  const seen: number[] = [];
  const again = () => {
    seen.push(clock.now());
    clock.after(10, again);
  };
  clock.after(10, again);
  clock.advance(35);
  assert.deepEqual(seen, [10, 20, 30]);
  assert.deepEqual(clock.pending(), [5]);
  assert.equal(clock.now(), 35);
});

test('a cancelled timer does not run and is not pending', () => {
  const clock = new FakeClock();
  const timer = clock.after(5, () => assert.fail('ran'));
  timer.cancel();
  assert.deepEqual(clock.pending(), []);
  clock.advance(10);
});

test('a step moves the wall clock only: durations and timers do not notice', () => {
  const clock = new FakeClock(5000);
  const from = clock.monotonic();
  let ran = false;
  clock.after(100, () => {
    ran = true;
  });
  clock.step(-3_600_000);
  clock.advance(99);
  assert.equal(ran, false);
  assert.equal(clock.monotonic() - from, 99);
  assert.equal(clock.now(), 5000 - 3_600_000 + 99);
});

test('advanceAsync lets a loop that awaits between two timers set its next one', async () => {
  const clock = new FakeClock(0);
  const seen: number[] = [];
  void (async () => {
    for (let round = 0; round < 3; round++) {
      await new Promise<void>((resolve) => clock.after(10, resolve));
      seen.push(clock.now());
    }
  })();
  await clock.advanceAsync(100);
  assert.deepEqual(seen, [10, 20, 30]);
});
