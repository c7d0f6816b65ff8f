import type { AuditEntry } from '@floe/contract/api/audit';
import { scheduleText } from './text.ts';

/**
 * A change of the schedule of a monitor. Misses before the change were evaluated with the previous schedule.
 */
export interface ScheduleChange {
  readonly id: string;
  readonly at: Date;
  readonly by: string;
  /** Description of the change, such as `interval from 60 min to 30 min`. */
  readonly words: string;
}

type View = AuditEntry['before'];

const FIELDS = ['expected_interval_minutes', 'schedule', 'grace_period_minutes'] as const;

/** Returns the schedule changes in a list of audit log entries. Pure. */
export function findScheduleChanges(entries: readonly AuditEntry[]): readonly ScheduleChange[] {
  return entries.flatMap(({ id, at, actor, actor_name, before, after }) => {
    if (before === null || after === null) return [];
    const words = FIELDS.flatMap((name) => {
      const [from, to] = [textOf(before, name), textOf(after, name)];
      return from === to ? [] : [scheduleText.change(scheduleText.changeFields[name], from, to)];
    });
    return words.length === 0
      ? []
      : [{ id, at: new Date(at), by: actor_name ?? actor, words: words.join(', ') }];
  });
}

function textOf(view: View, name: string): string {
  const value: unknown = typeof view === 'object' && view !== null ? Reflect.get(view, name) : null;
  if (value === null || value === undefined) {
    return name === 'grace_period_minutes' ? scheduleText.orgDefault : scheduleText.none;
  }
  if (typeof value !== 'object') return `${String(value)} min`;
  return `${String(Reflect.get(value, 'cron'))} ${String(Reflect.get(value, 'timezone') ?? '')}`.trim();
}
