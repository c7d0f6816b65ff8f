import type { BoardRow } from '../../store/monitoring/boards.ts';
import { clocksOf, type MonitorRow, monitorsByIds } from '../../store/monitoring/definitions.ts';
import { periodsSince } from '../../store/monitoring/history.ts';
import { windowsAhead } from '../../store/monitoring/maintenance.ts';
import type { Reader } from '../../store/ports.ts';
import { textsIn } from '../book.ts';
import type { MonitorStatus } from '../clock.ts';
import { concerns, type Occurrence, occurrencesAfter } from '../maintenance.ts';
import { type MonitorView, type Range, type Sight, spansOf, viewOf } from '../read.ts';
import { type Span, withGaps } from '../timeline.ts';
import { groupsOf } from './board.ts';
import { type Day, type DaySums, lastDays, sumsByDay } from './days.ts';

export const DAYS_SHOWN = 90;
const DOWNTIMES_SHOWN = 50;
const AHEAD_MS = 7 * 24 * 60 * 60 * 1000;

/** One monitor as a board shows it: its name and states, never its description, metadata or errors. */
export interface ShownMonitor {
  readonly id: string;
  readonly name: string;
  readonly status: MonitorStatus;
  readonly lastBeatAt: number | null;
  readonly failingSince: number | null;
  readonly pausedUntil: number | null;
  readonly maintenanceUntil: number | null;
  readonly uptimeRatio: number | null;
  readonly downtimeMs: number;
  /** One for each of the board's days. */
  readonly days: readonly DaySums[];
}

export interface Downtime {
  readonly monitorId: string;
  readonly name: string;
  readonly startedAt: number;
  /** Null while it lasts. */
  readonly endedAt: number | null;
  /** Without what nobody could see. */
  readonly lastedMs: number;
}

export interface Announced extends Occurrence {
  readonly name: string;
  /** Names of monitors of the board. */
  readonly monitors: readonly string[];
}

/** What a board says at one moment. Instants in milliseconds. */
export interface BoardView {
  readonly slug: string;
  readonly name: string;
  readonly timezone: string;
  readonly nowMs: number;
  /** Everything that was due before is judged. */
  readonly checkedAt: number;
  readonly days: readonly Day[];
  readonly groups: readonly { readonly name: string; readonly monitors: readonly ShownMonitor[] }[];
  /** Newest first. */
  readonly downtimes: readonly Downtime[];
  /** Soonest first. */
  readonly maintenance: readonly Announced[];
}

/** Reads all that a board shows, in a few statements however many monitors it has. */
export async function readBoard(
  reader: Reader,
  row: Pick<BoardRow, 'org_id' | 'slug' | 'name' | 'timezone' | 'groups_json'>,
  orgTimezone: string,
  sight: Sight,
): Promise<BoardView> {
  const groups = groupsOf(row);
  const timezone = row.timezone ?? orgTimezone;
  const days = lastDays(timezone, sight.nowMs, DAYS_SHOWN);
  const ids = [...new Set(groups.flatMap(({ monitors }) => monitors))];
  const rows = await monitorsByIds(reader, row.org_id, ids);
  const uids = rows.map(({ uid }) => uid);
  const [clocks, periods, windows] = await Promise.all([
    clocksOf(reader, uids),
    periodsSince(reader, uids, days[0]?.startsAt ?? sight.nowMs),
    windowsAhead(reader, [row.org_id], sight.nowMs),
  ]);
  const announced = announcedFor(
    windows.filter(({ on_boards }) => on_boards === 1),
    rows,
    sight.nowMs,
  );
  const shown = new Map<string, ShownMonitor>();
  const downtimes: Downtime[] = [];
  for (const monitor of rows) {
    const clock = clocks.get(monitor.uid);
    if (!clock) continue;
    const recorded = spansOf(periods.get(monitor.uid) ?? [], clock, sight);
    const spans = withGaps(recorded, sight.gaps, sight.nowMs);
    const until = underWay(announced, monitor.id, sight.nowMs);
    shown.set(monitor.id, shownOf(viewOf(monitor, clock, sight), until, sumsByDay(spans, days, sight.nowMs)));
    downtimes.push(
      ...downtimesOf(monitor, recorded, spans, { fromMs: days[0]?.startsAt ?? 0, toMs: sight.nowMs }),
    );
  }
  return {
    slug: row.slug,
    name: row.name,
    timezone,
    nowMs: sight.nowMs,
    checkedAt: sight.settledUntil,
    days,
    groups: groups.map(({ name, monitors }) => ({
      name,
      monitors: monitors.flatMap((id) => shown.get(id) ?? []),
    })),
    downtimes: downtimes.toSorted((one, other) => other.startedAt - one.startedAt).slice(0, DOWNTIMES_SHOWN),
    maintenance: announced.map(({ name, startsAt, endsAt, monitors }) => ({
      name,
      startsAt,
      endsAt,
      monitors: monitors.map((monitor) => monitor.name),
    })),
  };
}

function shownOf(
  { row, clock }: MonitorView,
  maintenanceUntil: number | null,
  days: readonly DaySums[],
): ShownMonitor {
  return {
    id: row.id,
    name: row.name,
    status: clock.status,
    lastBeatAt: clock.lastBeatAt,
    failingSince: clock.failingSince,
    pausedUntil: clock.pausedUntil,
    maintenanceUntil,
    ...uptime(days),
    days,
  };
}

interface AnnouncedRows extends Occurrence {
  readonly name: string;
  readonly monitors: readonly MonitorRow[];
}

/** The next occurrence of each window within seven days that is about a monitor of the board, soonest first. */
function announcedFor(
  windows: Awaited<ReturnType<typeof windowsAhead>>,
  monitors: readonly MonitorRow[],
  nowMs: number,
): AnnouncedRows[] {
  const found = windows.flatMap((row) => {
    const [next] = occurrencesAfter(row, nowMs, 1);
    if (!next || next.startsAt > nowMs + AHEAD_MS) return [];
    const isAbout = concerns(row);
    const about = monitors.filter(({ id, tags_json }) => isAbout({ id, tags: textsIn(tags_json) }));
    return about.length === 0 ? [] : [{ ...next, name: row.name, monitors: about }];
  });
  return found.toSorted((one, other) => one.startsAt - other.startsAt);
}

function underWay(announced: readonly AnnouncedRows[], id: string, nowMs: number): number | null {
  const ends = announced
    .filter(({ startsAt, monitors }) => startsAt <= nowMs && monitors.some((monitor) => monitor.id === id))
    .map(({ endsAt }) => endsAt);
  return ends.length === 0 ? null : Math.max(...ends);
}

function uptime(sums: readonly DaySums[]): { uptimeRatio: number | null; downtimeMs: number } {
  let healthy = 0;
  let failing = 0;
  for (const day of sums) {
    healthy += day.healthy;
    failing += day.failing;
  }
  const judged = healthy + failing;
  return { uptimeRatio: judged === 0 ? null : healthy / judged, downtimeMs: failing };
}

function downtimesOf(
  { id, name }: MonitorRow,
  recorded: readonly Span[],
  spans: readonly Span[],
  { fromMs, toMs: nowMs }: Range,
): Downtime[] {
  const failing = recorded.filter(
    ({ status, endedAt }) => status === 'failing' && (endedAt ?? nowMs) > fromMs,
  );
  const seen = spans.filter(({ status }) => status === 'failing');
  return failing.slice(-DOWNTIMES_SHOWN).map(({ startedAt, endedAt }) => {
    const end = endedAt ?? nowMs;
    const lastedMs = seen
      .filter((span) => span.startedAt >= startedAt && (span.endedAt ?? nowMs) <= end)
      .reduce((sum, span) => sum + (span.endedAt ?? nowMs) - span.startedAt, 0);
    return { monitorId: id, name, startedAt, endedAt, lastedMs };
  });
}
