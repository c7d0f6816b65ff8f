import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fault } from '@floe/contract/faults';
import { FakeClock } from '@floe/testkit/fake-clock';
import { BodyDeadline } from './body-deadline.ts';

/** Sends `bytes` every `everyMs` until the deadline. Returns when that was, or null if it was not reached. */
function send(bytes: number, everyMs: number, limitMs: number): number | null {
  const clock = new FakeClock();
  const faults: Fault[] = [];
  const deadline = new BodyDeadline(clock, (fault) => faults.push(fault));
  for (let ms = everyMs; ms <= limitMs; ms += everyMs) {
    clock.advance(everyMs);
    if (faults[0]) {
      assert.equal(faults[0].code, 'request_timeout');
      assert.equal(faults.length, 1);
      return ms;
    }
    deadline.received(bytes);
  }
  deadline.cancel();
  clock.advance(3_600_000);
  assert.deepEqual(faults, []);
  return null;
}

test('a client that sends one byte per second is rejected after 30 seconds', () => {
  assert.equal(send(1, 1_000, 120_000), 31_000);
});

test('a client that sends nothing for 30 seconds is rejected, however much it has sent before', () => {
  assert.equal(send(10 << 20, 30_000, 120_000), 30_000);
  assert.equal(send(10 << 20, 29_000, 3_600_000), null);
});

test('a large body over a slow connection may take hours', () => {
  assert.equal(send(2_048, 1_000, 4 * 3_600_000), null);
});
