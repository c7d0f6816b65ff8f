import { clocksOf, monitorsByIds } from '../store/monitoring/definitions.ts';
import { periodsSince } from '../store/monitoring/history.ts';
import type { Reader } from '../store/ports.ts';
import { type DaySums, sumsByDay } from './boards/days.ts';
import { type Sight, spansOf } from './read.ts';
import { uptimeOf, withGaps } from './timeline.ts';

const SLICE_MS = 30 * 60_000;
const SLICES = 48;
const UPTIME_MS = 30 * 24 * 60 * 60_000;

/** How one monitor did lately: half hours of the last day, uptime of thirty. */
export interface Recent {
  readonly id: string;
  readonly uptimeRatio: number | null;
  readonly slices: readonly (DaySums & { readonly startedAt: number })[];
}

/** Reads what lists show of each monitor, in a few statements however many there are. */
export async function readRecent(
  reader: Reader,
  orgId: string,
  ids: readonly string[],
  sight: Sight,
): Promise<Recent[]> {
  const rows = await monitorsByIds(reader, orgId, ids);
  const uids = rows.map(({ uid }) => uid);
  const range = { fromMs: sight.nowMs - UPTIME_MS, toMs: sight.nowMs, nowMs: sight.nowMs };
  const [clocks, periods] = await Promise.all([
    clocksOf(reader, uids),
    periodsSince(reader, uids, range.fromMs),
  ]);
  const end = Math.ceil(sight.nowMs / SLICE_MS) * SLICE_MS;
  const slices = Array.from({ length: SLICES }, (_, index) => {
    const startsAt = end - (SLICES - index) * SLICE_MS;
    return { date: '', startsAt, endsAt: startsAt + SLICE_MS };
  });
  return rows.map(({ id, uid }) => {
    const recorded = spansOf(periods.get(uid) ?? [], clocks.get(uid), sight);
    const sums = sumsByDay(withGaps(recorded, sight.gaps, sight.nowMs), slices, sight.nowMs);
    return {
      id,
      uptimeRatio: uptimeOf(recorded, sight.gaps, range).uptimeRatio,
      slices: sums.map((sum, index) => ({ ...sum, startedAt: slices[index]?.startsAt ?? 0 })),
    };
  });
}
