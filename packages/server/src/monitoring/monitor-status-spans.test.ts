import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { MonitoringGap } from '../store/monitoring/monitoring-liveness-values.ts';
import type { MonitorStatus } from './monitor-state.ts';
import { type MonitorStatusSpan, replaceGapsWithUnknown, summarizeUptime } from './monitor-status-spans.ts';

const STATES: readonly MonitorStatus[] = ['waiting', 'healthy', 'failing', 'paused'];
const NOW = 400;

/** Lengths in order make a timeline from 0 on; the last period goes on. */
const periods = fc
  .array(fc.record({ status: fc.constantFrom(...STATES), length: fc.integer({ min: 1, max: 60 }) }), {
    minLength: 1,
    maxLength: 12,
  })
  .map((parts): MonitorStatusSpan[] => {
    let at = 0;
    return parts.map(({ status, length }, n) => {
      const startedAt = at;
      at += length;
      return { status, startedAt, endedAt: n === parts.length - 1 ? null : at, reason: '' };
    });
  });
const gaps = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 60 })), { maxLength: 5 })
  .map((parts): MonitoringGap[] => {
    let at = 0;
    return parts.map(([apart, length]) => {
      const startAt = at + apart;
      at = startAt + length;
      return { startAt, endAt: Math.min(at, NOW) };
    });
  })
  .map((all) => all.filter(({ startAt, endAt }) => startAt < endAt));

/** What it was in one instant, looked up, not computed. */
function stateAt(spans: readonly MonitorStatusSpan[], holes: readonly MonitoringGap[], at: number): string {
  const status = spans.findLast(({ startedAt }) => startedAt <= at)?.status ?? 'nothing';
  return status !== 'paused' && holes.some(({ startAt, endAt }) => startAt <= at && at < endAt)
    ? 'unknown'
    : status;
}

test('uptime is the sum of durations without unknown, paused and waiting time, over any range (6.13)', () => {
  const instant = fc.nat(NOW);
  fc.assert(
    fc.property(periods, gaps, instant, instant, (spans, holes, one, other) => {
      const [fromMs, toMs] = [Math.min(one, other), Math.max(one, other)];
      const seen = Array.from({ length: toMs - fromMs }, (_, n) => stateAt(spans, holes, fromMs + n));
      const sum = (state: string) => seen.filter((found) => found === state).length;
      const uptime = summarizeUptime(spans, holes, { fromMs, toMs, nowMs: NOW });
      assert.equal(uptime.healthyMs, sum('healthy'));
      assert.equal(uptime.downtimeMs, sum('failing'));
      assert.equal(uptime.unknownMs, sum('unknown'));
      const judged = sum('healthy') + sum('failing');
      assert.equal(uptime.uptimeRatio, judged === 0 ? null : sum('healthy') / judged);
      // The timeline that is shown says the same, instant by instant.
      const shown = replaceGapsWithUnknown(spans, holes, NOW);
      for (let at = fromMs; at < toMs; at++)
        assert.equal(shown.findLast(({ startedAt }) => startedAt <= at)?.status, stateAt(spans, holes, at));
    }),
    { numRuns: 300 },
  );
});
