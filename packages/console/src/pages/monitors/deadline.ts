import type { Monitor } from '@floe/contract/api/monitors';

/** Where things stand on the bar from the last beat to the deadline, as shares of its width. Pure. */
export interface DeadlineBar {
  readonly from: Date;
  readonly due: Date;
  readonly deadline: Date;
  readonly now: number;
  readonly dueAt: number;
  readonly deadlineAt: number;
  readonly overdue: 'no' | 'in_grace' | 'past';
}

/** Behind the deadline so much of the bar is drawn, so that "failing" has a place. */
const AFTER = 0.035;

/** Null while nothing is promised: paused, or waiting without a first deadline. */
export function deadlineBar(
  monitor: Pick<Monitor, 'last_beat_at' | 'next_due_at' | 'deadline_at' | 'created_at' | 'failing_since'>,
  now: Date,
): DeadlineBar | null {
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
