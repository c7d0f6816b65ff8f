import type { BoardMonitor, BoardView } from '../../monitoring/boards/board-view.ts';
import { durationText, formatCount, type ZoneFormatter } from './board-text.ts';

/** Kinds of a headline; each has a colour and a sign of its own. */
export type BoardDisplayStatus = 'healthy' | 'failing' | 'waiting' | 'paused' | 'maintenance';

export interface Headline {
  readonly status: BoardDisplayStatus;
  readonly title: string;
  readonly detail: string;
}

/** What a monitor is on a board, maintenance included. */
export function displayStatusOf({ status, maintenanceUntil }: BoardMonitor): BoardDisplayStatus {
  return maintenanceUntil === null || status === 'paused' ? status : 'maintenance';
}

/** The worst of a board, in words. Maintenance that was announced explains failing. */
export function buildHeadline(view: BoardView, zone: ZoneFormatter): Headline {
  const shown = new Map(view.groups.flatMap(({ monitors }) => monitors.map((one) => [one.id, one] as const)));
  const all = [...shown.values()];
  const of = (mood: BoardDisplayStatus) => all.filter((monitor) => displayStatusOf(monitor) === mood);
  const failing = of('failing');
  const [healthy, waiting, paused, maintained] = [
    of('healthy'),
    of('waiting'),
    of('paused'),
    of('maintenance'),
  ];
  const rest = joinWithAnd([
    healthy.length > 0 && `${healthy.length} running`,
    maintained.length > 0 && `${maintained.length} under maintenance`,
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
    return { status: 'maintenance', title: 'Maintenance is under way', detail: toSentence(rest) };
  if (healthy.length > 0 && waiting.length + paused.length === 0)
    return { status: 'healthy', title: 'Everything is running', detail: formatJobCount(all.length) };
  if (healthy.length > 0) return { status: 'healthy', title: 'Nothing is failing', detail: toSentence(rest) };
  if (waiting.length > 0)
    return { status: 'waiting', title: 'Waiting for the first beats', detail: toSentence(rest) };
  if (paused.length > 0)
    return { status: 'paused', title: 'Everything is paused', detail: formatJobCount(all.length) };
  return { status: 'waiting', title: 'Nothing is on this board yet', detail: '' };
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
  zone: ZoneFormatter,
): string {
  const since = Math.min(...failing.map(({ failingSince }) => failingSince ?? nowMs));
  const first = `${failing.length === 1 ? 'Since' : 'The first since'} ${zone.timeOrDateTime(since, nowMs)}, for ${durationText(nowMs - since)}.`;
  return rest === '' ? first : `${first} Of the others, ${rest}.`;
}

function formatJobCount(count: number): string {
  return `${toSentence(`${formatCount(count, 'job is', 'jobs are')} watched`)}`;
}

function toSentence(text: string): string {
  return text === '' ? '' : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function joinWithAnd(parts: readonly (string | false)[]): string {
  const kept = parts.filter((part) => part !== false);
  return kept.length < 2 ? kept.join('') : `${kept.slice(0, -1).join(', ')} and ${kept.at(-1)}`;
}
