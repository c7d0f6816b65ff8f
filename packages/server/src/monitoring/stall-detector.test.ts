import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '@floe/testkit/fake-clock';
import { StallDetector } from './stall-detector.ts';

test('the age of a request after a stall is a whole number, because the times of beats are stored as integers', () => {
  const clock = new FakeClock();
  let aheadMs = 0;
  const stalls = new StallDetector(
    { ...clock, after: clock.after.bind(clock), monotonic: () => clock.monotonic() + aheadMs },
    10_000,
  );
  stalls.start();
  clock.advance(250);
  assert.equal(stalls.maxReceiveDelayMs(), 0);
  aheadMs = 3_000.25;
  assert.equal(stalls.maxReceiveDelayMs(), 3_001);
});
