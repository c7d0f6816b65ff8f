import type { DatabaseReader } from '../store-interfaces.ts';
import { getMonitorPeriodsByUidSince, type LastMonitorPeriods } from './monitor-history.ts';
import type { MonitorPeriodRow } from './monitoring-rows.ts';

/** The minimum limit for the first count of the periods of each monitor. */
const MIN_COUNTED_PERIODS = 400;

/**
 * Returns the same periods as `getMonitorPeriodsByUidSince`, but only about `maxPeriods` in total, because the status
 * of a monitor can change many times a second. If there are more, the oldest periods of the monitors with the
 * most periods are omitted. Each of these monitors then has the same number of periods in the result.
 */
export async function getLastMonitorPeriodsByUid(
  reader: DatabaseReader,
  uids: readonly string[],
  fromMs: number,
  maxPeriods: number,
): Promise<Map<string, LastMonitorPeriods>> {
  if (uids.length === 0) return new Map();
  const counts = new Map<string, number>();
  let most = Number.POSITIVE_INFINITY;
  let counting = uids;
  let limit = Math.min(maxPeriods, Math.max(MIN_COUNTED_PERIODS, Math.floor(maxPeriods / uids.length)));
  // If some monitors have few periods, the others are counted again up to a larger share.
  while (most === Number.POSITIVE_INFINITY && counting.length > 0) {
    const counted = await countMonitorPeriodsSince(reader, counting, fromMs, limit + 1);
    for (const [uid, count] of counted) counts.set(uid, count);
    most = findLargestShare([...counts.values()], maxPeriods);
    counting = counting.filter((uid) => (counts.get(uid) ?? 0) > limit);
    const isCounting = new Set(counting);
    const known = [...counts].reduce((sum, [uid, count]) => (isCounting.has(uid) ? sum : sum + count), 0);
    limit = Math.floor((maxPeriods - known) / counting.length);
  }
  const busy = [...counts].filter(([, count]) => count > most).map(([uid]) => uid);
  const isBusy = new Set(busy);
  const [whole, last] = await Promise.all([
    getMonitorPeriodsByUidSince(
      reader,
      uids.filter((uid) => !isBusy.has(uid)),
      fromMs,
    ),
    listLastPeriodsOfEach(reader, busy, most),
  ]);
  const found = new Map<string, LastMonitorPeriods>();
  for (const [uid, periods] of whole) found.set(uid, { periods, isTruncated: false });
  for (const [uid, periods] of last) found.set(uid, { periods, isTruncated: true });
  return found;
}

/** Counts the periods of each monitor that started after `fromMs`, up to `limit`. */
async function countMonitorPeriodsSince(
  reader: DatabaseReader,
  uids: readonly string[],
  fromMs: number,
  limit: number,
): Promise<ReadonlyMap<string, number>> {
  const rows = await reader
    .selectFrom('monitors')
    .select('monitors.uid')
    .select(({ selectFrom }) =>
      selectFrom(
        selectFrom('monitor_periods as p')
          .select('p.started_at')
          .whereRef('p.uid', '=', 'monitors.uid')
          .where('p.started_at', '>', fromMs)
          .limit(limit)
          .as('later'),
      )
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .as('count'),
    )
    .where('monitors.uid', 'in', [...uids])
    .execute();
  return new Map(rows.map(({ uid, count }) => [uid, Number(count)]));
}

/** Returns the largest share for which the sum of all counts, each reduced to the share, is at most `total`. */
function findLargestShare(counts: readonly number[], total: number): number {
  let remaining = total;
  for (const [at, count] of counts.toSorted((one, other) => one - other).entries()) {
    const share = Math.floor(remaining / (counts.length - at));
    if (count > share) return Math.max(1, share);
    remaining -= count;
  }
  return Number.POSITIVE_INFINITY;
}

/** Returns the last `count` periods of each monitor, oldest first. Every monitor must have at least `count` periods. */
async function listLastPeriodsOfEach(
  reader: DatabaseReader,
  uids: readonly string[],
  count: number,
): Promise<Map<string, MonitorPeriodRow[]>> {
  const found = new Map<string, MonitorPeriodRow[]>(uids.map((uid) => [uid, []]));
  if (uids.length === 0) return found;
  const rows = await reader
    .selectFrom('monitors')
    .innerJoin('monitor_periods as p', (join) =>
      join.onRef('p.uid', '=', 'monitors.uid').on('p.started_at', '>=', ({ selectFrom }) =>
        selectFrom('monitor_periods as first')
          .select('first.started_at')
          .whereRef('first.uid', '=', 'monitors.uid')
          .orderBy('first.started_at', 'desc')
          .limit(1)
          .offset(count - 1),
      ),
    )
    .select(['p.uid', 'p.started_at', 'p.status', 'p.reason'])
    .where('monitors.uid', 'in', [...uids])
    .orderBy('p.uid')
    .orderBy('p.started_at')
    .execute();
  for (const row of rows) found.get(row.uid)?.push(row);
  return found;
}
