import { Fault } from '@floe/contract/faults';
import type { CheckRow, ClockRow, PeriodRow } from '../store/monitoring/clock-row.ts';
import { clocksOf, type MonitorRow, monitorById } from '../store/monitoring/definitions.ts';
import { type CheckQuery, checkPage, periodsIn } from '../store/monitoring/history.ts';
import { type MonitorQuery, monitorPage } from '../store/monitoring/monitor-lists.ts';
import type { Page } from '../store/pages.ts';
import type { Reader } from '../store/ports.ts';
import { type Clock, evaluationOf, type Gap } from './clock.ts';
import { clockOfRow, planOfRow, statusOf } from './clock-rows.ts';
import { settle } from './settle.ts';
import { type Span, type Uptime, uptimeOf, withGaps } from './timeline.ts';

/** What reading takes beside the store. The engine gives one. */
export interface Sight {
  /** Database time. */
  readonly nowMs: number;
  /** Everything before it is committed: what was due and did not come may be called missed. */
  readonly settledUntil: number;
  readonly gaps: readonly Gap[];
}

/** A monitor with where it stands now, whether or not the sweep has looked since. */
export interface MonitorView {
  readonly row: MonitorRow;
  readonly clock: Clock;
  /** The grace in force, and who set it. */
  readonly graceMs: number;
  readonly graceSource: 'monitor' | 'org';
}

/** Monitors of an org, newest or most urgent first, filtered. */
export async function listMonitors(
  reader: Reader,
  query: MonitorQuery,
  sight: Sight,
): Promise<Page<MonitorView>> {
  const { rows, nextCursor } = await monitorPage(reader, query);
  const clocks = await clocksOf(
    reader,
    rows.map(({ uid }) => uid),
  );
  const views = rows.flatMap((row) => {
    const clock = clocks.get(row.uid);
    return clock ? [viewOf(row, clock, sight)] : [];
  });
  return { rows: views, nextCursor };
}

/** Undefined also for one that was removed. */
export async function findMonitor(
  reader: Reader,
  orgId: string,
  id: string,
  sight: Sight,
): Promise<MonitorView | undefined> {
  const row = await monitorById(reader, orgId, id);
  const clock = row?.disabled_at === null && (await clocksOf(reader, [row.uid])).get(row.uid);
  return row && clock ? viewOf(row, clock, sight) : undefined;
}

/** @throws Fault `monitor_not_found` */
export async function readMonitor(
  reader: Reader,
  orgId: string,
  id: string,
  sight: Sight,
): Promise<MonitorView> {
  const view = await findMonitor(reader, orgId, id, sight);
  if (view) return view;
  throw new Fault('monitor_not_found', `There is no monitor "${id.slice(0, 100)}" in this organization.`);
}

/** Checks of a monitor, newest first, by cursor. */
export function readChecks(reader: Reader, query: CheckQuery): Promise<Page<CheckRow>> {
  return checkPage(reader, query);
}

export interface Range {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The timeline of a monitor: spans that touch the range, oldest first, our own gaps cut out as `unknown`. */
export async function readPeriods(
  reader: Reader,
  { row }: Pick<MonitorView, 'row'>,
  range: Range,
  sight: Sight,
): Promise<Span[]> {
  const spans = withGaps(await recorded(reader, row.uid, range, sight), sight.gaps, sight.nowMs);
  return spans.filter(
    ({ startedAt, endedAt }) => startedAt < range.toMs && (endedAt ?? sight.nowMs) > range.fromMs,
  );
}

/** Uptime and downtime of a range, from durations. */
export async function readUptime(
  reader: Reader,
  { row }: Pick<MonitorView, 'row'>,
  range: Range,
  sight: Sight,
): Promise<Uptime> {
  const periods = await recorded(reader, row.uid, range, sight);
  return uptimeOf(periods, sight.gaps, { ...range, nowMs: sight.nowMs });
}

/** Recorded periods, and those that began since the clock was last written. */
async function recorded(reader: Reader, uid: string, range: Range, sight: Sight): Promise<Span[]> {
  const rows = await periodsIn(reader, uid, range.fromMs, Number.MAX_SAFE_INTEGER);
  const clock = (await clocksOf(reader, [uid])).get(uid);
  return spansOf(rows, clock, sight).filter(({ startedAt }) => startedAt < range.toMs);
}

/** Periods of one monitor as recorded, oldest first, and those that began since its clock was last written. */
export function spansOf(rows: readonly PeriodRow[], clock: ClockRow | undefined, sight: Sight): Span[] {
  const starts = rows.map(({ started_at, status, reason }) => ({
    status: statusOf(status),
    startedAt: started_at,
    reason,
  }));
  if (clock) {
    const evaluation = evaluationOf(planOfRow(clock), sight.gaps);
    settle(clockOfRow(clock), evaluation, sight.settledUntil);
    for (const period of evaluation.periods) {
      // One that begins where the last one did replaces it, as in the store.
      if (starts.at(-1)?.startedAt === period.startedAt) starts.pop();
      starts.push(period);
    }
  }
  return starts.map((span, at) => ({ ...span, endedAt: starts[at + 1]?.startedAt ?? null }));
}

/** Where a monitor stands now, by its stored clock. */
export function viewOf(row: MonitorRow, clock: ClockRow, sight: Sight): MonitorView {
  const until = Math.max(clock.settled_at, sight.settledUntil);
  return {
    row,
    clock: settle(clockOfRow(clock), evaluationOf(planOfRow(clock), sight.gaps), until),
    graceMs: clock.grace_ms,
    graceSource: row.grace_ms === null ? 'org' : 'monitor',
  };
}
