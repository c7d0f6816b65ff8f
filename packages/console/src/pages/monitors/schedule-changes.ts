import type { AuditEntry } from '@floe/contract/api/audit';

/** A change of what a monitor promises: older misses were judged by what stood before it. */
export interface ScheduleChange {
  readonly id: string;
  readonly at: Date;
  readonly by: string;
  /** `interval 60 to 30` */
  readonly words: string;
}

type View = AuditEntry['before'];

const FIELDS = [
  ['expected_interval_minutes', 'interval'],
  ['schedule', 'schedule'],
  ['grace_period_minutes', 'grace'],
] as const;

/** The entries of the audit log that moved deadlines, in words; others are left out. Pure. */
export function findScheduleChanges(entries: readonly AuditEntry[]): readonly ScheduleChange[] {
  return entries.flatMap(({ id, at, actor, actor_name, before, after }) => {
    if (before === null || after === null) return [];
    const words = FIELDS.flatMap(([name, word]) => {
      const [from, to] = [textOf(before, name), textOf(after, name)];
      return from === to ? [] : [`${word} ${from} to ${to}`];
    });
    return words.length === 0
      ? []
      : [{ id, at: new Date(at), by: actor_name ?? actor, words: words.join(', ') }];
  });
}

function textOf(view: View, name: string): string {
  const value: unknown = typeof view === 'object' && view !== null ? Reflect.get(view, name) : null;
  if (value === null || value === undefined) return name === 'grace_period_minutes' ? 'the org’s' : 'none';
  if (typeof value !== 'object') return `${String(value)} min`;
  return `${String(Reflect.get(value, 'cron'))} ${String(Reflect.get(value, 'timezone') ?? '')}`.trim();
}
