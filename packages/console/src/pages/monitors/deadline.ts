import type { Monitor } from '@floe/contract/api/monitors';
import { parseMinutes } from '../../format/minutes.ts';
import type { MonitorFormValues } from './monitor-form.ts';

const MINUTE = 60_000;

/**
 * The positions on a bar that shows the time from the last beat to the deadline. Numbers are fractions of the
 * width of the bar.
 */
export interface DeadlineBarPositions {
  readonly from: Date;
  readonly due: Date;
  readonly deadline: Date;
  readonly now: number;
  readonly dueAt: number;
  readonly deadlineAt: number;
  readonly overdue: 'no' | 'in_grace' | 'past';
}

/** Width of the failing state after the deadline, as a fraction of the bar. */
const AFTER = 0.035;

/**
 * Computes the positions on the deadline bar. Returns null if the monitor has no deadline: it is paused, or
 * it waits for its first beat and has no time limit for it. Pure.
 */
export function computeDeadlineBarPositions(
  monitor: Pick<Monitor, 'last_beat_at' | 'next_due_at' | 'deadline_at' | 'created_at' | 'failing_since'>,
  now: Date,
): DeadlineBarPositions | null {
  const { last_beat_at, next_due_at, deadline_at, created_at } = monitor;
  if (next_due_at === null || deadline_at === null) return null;
  const from = new Date(last_beat_at ?? created_at);
  const [due, deadline] = [new Date(next_due_at), new Date(deadline_at)];
  const whole = deadline.getTime() - from.getTime();
  if (whole <= 0) return null;
  const scale = (1 - AFTER) / whole;
  const share = (at: Date) => Math.min(1, Math.max(0, (at.getTime() - from.getTime()) * scale));
  return {
    from,
    due,
    deadline,
    now: share(now),
    dueAt: share(due),
    deadlineAt: 1 - AFTER,
    overdue: now < due ? 'no' : now < deadline ? 'in_grace' : 'past',
  };
}

/**
 * Predicts the deadline of a healthy monitor after its new interval or grace period is saved. `from` is the
 * current deadline, and `to` is the new one. As on the server, the new deadline is never in the past. Returns
 * null if the deadline stays the same, or if only the server can compute it (cron schedule, pause, or downtime
 * of Floe). Pure.
 */
export function predictDeadlineChange(
  monitor: Monitor,
  form: MonitorFormValues,
  now: Date,
): { readonly from: Date; readonly to: Date } | null {
  const { last_beat_at, next_due_at, deadline_at, expected_interval_minutes: old, status } = monitor;
  const interval = form.kind === 'interval' ? parseMinutes(form.interval) : null;
  const orgs = monitor.grace_source === 'org' ? monitor.grace_period_minutes : null;
  const grace = form.grace === '' ? orgs : parseMinutes(form.grace);
  if (status !== 'healthy' || !last_beat_at || !next_due_at || !deadline_at) return null;
  if (old === null || interval === null || grace === null) return null;
  const beat = Date.parse(last_beat_at);
  if (Date.parse(next_due_at) !== beat + old * MINUTE) return null;
  const to = new Date(Math.max(beat + interval * MINUTE, now.getTime()) + grace * MINUTE);
  const from = new Date(deadline_at);
  return to.getTime() === from.getTime() ? null : { from, to };
}
