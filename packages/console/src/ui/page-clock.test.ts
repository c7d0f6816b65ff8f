import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatRelativeTime } from '../format/times.ts';
import { PageClock } from './page-clock.ts';

test('whenever somebody looks, what has just happened is not in the future', () => {
  const step = fc.record({
    ms: fc.integer({ min: 0, max: 3_600_000 }),
    does: fc.constantFrom('looks', 'follows', 'leaves', 'hides', 'shows'),
  });
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), (steps) => {
      let nowMs = 1_800_000_000_000;
      let isHidden = false;
      const ticks = new Set<() => void>();
      const clock = new PageClock({
        nowMs: () => nowMs,
        isHidden: () => isHidden,
        everySecond: (call) => {
          ticks.add(call);
          return () => ticks.delete(call);
        },
      });
      let leave: (() => void) | null = null;
      for (const { ms, does } of steps) {
        const until = nowMs + ms;
        // Timers of a tab ring late, but in order.
        for (let rings = 0; rings < 3; rings++) {
          nowMs = Math.min(until, nowMs + 1_000);
          for (const tick of ticks) tick();
        }
        nowMs = until;
        if (does === 'follows') leave ??= clock.follow(() => undefined);
        if (does === 'leaves') {
          leave?.();
          leave = null;
        }
        if (does === 'hides' || does === 'shows') isHidden = does === 'hides';
        const words = formatRelativeTime(new Date(nowMs), clock.now());
        assert.match(words, /^(just now|1 s ago|in 1 s)$/);
        assert.equal(clock.now(), clock.now(), 'one object as long as the time stands');
        assert.match(formatRelativeTime(new Date(nowMs - 60_000), clock.now()), / ago$/);
      }
    }),
  );
});
