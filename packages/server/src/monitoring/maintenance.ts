import type { MaintenanceRow } from '../store/monitoring/maintenance.ts';
import { textsIn } from './book.ts';
import { promisesOf } from './schedule.ts';

/** One time of maintenance. Instants in milliseconds. */
export interface Occurrence {
  readonly startsAt: number;
  readonly endsAt: number;
}

export interface Maintained {
  readonly id: string;
  readonly tags: readonly string[];
}

/** Whether a window is about this monitor: by its id, by a tag, or because it is about all. */
export function concerns(row: MaintenanceRow): (monitor: Maintained) => boolean {
  const ids = textsIn(row.monitors_json);
  const tags = textsIn(row.tags_json);
  if (ids.length === 0 && tags.length === 0) return () => true;
  return (monitor) => ids.includes(monitor.id) || tags.some((tag) => monitor.tags.includes(tag));
}

/** The occurrence under way at `nowMs`; null when there is none. Its end is not part of it. */
export function occurrenceAt(row: MaintenanceRow, nowMs: number): Occurrence | null {
  const [first] = occurrencesAfter(row, nowMs, 1);
  return first && first.startsAt <= nowMs ? first : null;
}

/** Up to `count` occurrences that end after `afterMs`, soonest first; one may be under way. */
export function occurrencesAfter(row: MaintenanceRow, afterMs: number, count: number): Occurrence[] {
  const { starts_at: from, ends_at: to, cron, timezone, duration_ms: lasting } = row;
  const until = to ?? Number.POSITIVE_INFINITY;
  if (cron === null || lasting === null)
    return from === null || until <= afterMs ? [] : [{ startsAt: from, endsAt: until }];
  const { after } = promisesOf({ kind: 'cron', cron, timezone: timezone ?? 'UTC' });
  const found: Occurrence[] = [];
  let at = Math.max(afterMs - lasting, (from ?? 0) - 1);
  while (found.length < count) {
    const startsAt = after(at);
    if (startsAt === null || startsAt >= until) break;
    const endsAt = Math.min(startsAt + lasting, until);
    if (endsAt > afterMs) found.push({ startsAt, endsAt });
    at = startsAt;
  }
  return found;
}
