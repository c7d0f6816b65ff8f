import { formatCountWithNoun } from '../../core/count-with-noun.ts';
import type { BoardMonitor, BoardView } from '../../monitoring/boards/board-view.ts';
import { formatBoardDuration, type TimeZoneDateFormatter } from './board-text.ts';

/** The statuses that a board can show in its heading and for its monitors. Each has its own color and icon. */
export type BoardDisplayStatus = 'healthy' | 'failing' | 'waiting' | 'paused' | 'maintenance';

/** The status and summary in a board's heading. */
export interface BoardHeadline {
  readonly status: BoardDisplayStatus;
  readonly title: string;
  readonly detail: string;
}

/**
 * Returns the status that a board shows for a monitor: `maintenance` during a maintenance window if the monitor
 * is not paused, and otherwise the status of the monitor.
 */
export function resolveBoardDisplayStatus({ status, maintenanceUntil }: BoardMonitor): BoardDisplayStatus {
  return maintenanceUntil === null || status === 'paused' ? status : 'maintenance';
}

/**
 * Returns a board's heading, which describes its overall status. A failing monitor in announced
 * maintenance does not count as failing.
 */
export function buildBoardHeadline(view: BoardView, zone: TimeZoneDateFormatter): BoardHeadline {
  const shown = new Map(view.groups.flatMap(({ monitors }) => monitors.map((one) => [one.id, one] as const)));
  const all = [...shown.values()];
  const of = (mood: BoardDisplayStatus) =>
    all.filter((monitor) => resolveBoardDisplayStatus(monitor) === mood);
  const failing = of('failing');
  const [healthy, waiting, paused, maintained] = [
    of('healthy'),
    of('waiting'),
    of('paused'),
    of('maintenance'),
  ];
  const rest = joinWithAnd([
    healthy.length > 0 && `${healthy.length} healthy`,
    maintained.length > 0 && `${maintained.length} in maintenance`,
    waiting.length > 0 && `${waiting.length} waiting`,
    paused.length > 0 && `${paused.length} paused`,
  ]);
  if (failing.length > 0)
    return {
      status: 'failing',
      title: failingTitle(failing),
      detail: failingDetail(failing, rest, view, zone),
    };
  if (maintained.length > 0)
    return { status: 'maintenance', title: 'Maintenance in progress', detail: toSentence(rest) };
  if (healthy.length > 0 && waiting.length + paused.length === 0)
    return { status: 'healthy', title: 'All jobs are healthy', detail: formatJobCount(all.length) };
  if (healthy.length > 0) return { status: 'healthy', title: 'No job is failing', detail: toSentence(rest) };
  if (waiting.length > 0) return { status: 'waiting', title: 'Waiting for beats', detail: toSentence(rest) };
  if (paused.length > 0)
    return { status: 'paused', title: 'All jobs are paused', detail: formatJobCount(all.length) };
  return { status: 'waiting', title: 'This board has no monitors yet', detail: '' };
}

function failingTitle(failing: readonly BoardMonitor[]): string {
  const [first, second] = failing;
  if (!second) return `${first?.name} is failing`;
  if (failing.length === 2) return `${first?.name} and ${second.name} are failing`;
  return `${first?.name} and ${failing.length - 1} others are failing`;
}

function failingDetail(
  failing: readonly BoardMonitor[],
  rest: string,
  { nowMs }: BoardView,
  zone: TimeZoneDateFormatter,
): string {
  const since = Math.min(...failing.map(({ failingSince }) => failingSince ?? nowMs));
  const first = `${failing.length === 1 ? 'Failing' : 'The first job to fail has been failing'} since ${zone.timeOrDateTime(since, nowMs)}, for ${formatBoardDuration(nowMs - since)}.`;
  return rest === '' ? first : `${first} Other jobs: ${rest}.`;
}

function formatJobCount(count: number): string {
  return `${toSentence(`${formatCountWithNoun(count, 'job is', 'jobs are')} monitored`)}`;
}

function toSentence(text: string): string {
  return text === '' ? '' : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function joinWithAnd(parts: readonly (string | false)[]): string {
  const kept = parts.filter((part) => part !== false);
  return kept.length < 2 ? kept.join('') : `${kept.slice(0, -1).join(', ')} and ${kept.at(-1)}`;
}
