import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { PanicModeConcurrencyLimiter } from './panic-mode-concurrency-limiter.ts';

test('while all breakers are open, the number of requests is limited by the consecutive successes', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('take', 'succeed', 'fail'), { maxLength: 200 }), (steps) => {
      const slots = new PanicModeConcurrencyLimiter();
      let inFlight = 0;
      let earned = 1;
      for (const step of steps) {
        if (step === 'take') {
          const isFree = inFlight < earned;
          assert.equal(slots.acquire(), isFree);
          if (isFree) inFlight += 1;
        } else if (inFlight > 0) {
          slots.release(step === 'succeed');
          inFlight -= 1;
          earned = step === 'succeed' ? Math.min(1024, earned * 2) : 1;
        }
      }
    }),
  );
});
