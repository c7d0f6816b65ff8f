import type { BoardView, ShownMonitor } from '../../monitoring/boards/status.ts';
import { counted, durationText, type ZoneText } from './wording.ts';

/** Kinds of a headline; each has a colour and a sign of its own. */
export type Mood = 'healthy' | 'failing' | 'waiting' | 'paused' | 'maintenance';

export interface Headline {
  readonly mood: Mood;
  readonly words: string;
  readonly more: string;
}

/** What a monitor is on a board, maintenance included. */
export function moodOf({ status, maintenanceUntil }: ShownMonitor): Mood {
  return maintenanceUntil === null || status === 'paused' ? status : 'maintenance';
}

/** The worst of a board, in words. Maintenance that was announced explains failing. */
export function headlineOf(view: BoardView, zone: ZoneText): Headline {
  const shown = new Map(view.groups.flatMap(({ monitors }) => monitors.map((one) => [one.id, one] as const)));
  const all = [...shown.values()];
  const of = (mood: Mood) => all.filter((monitor) => moodOf(monitor) === mood);
  const failing = of('failing');
  const [healthy, waiting, paused, maintained] = [
    of('healthy'),
    of('waiting'),
    of('paused'),
    of('maintenance'),
  ];
  const rest = joined([
    healthy.length > 0 && `${healthy.length} running`,
    maintained.length > 0 && `${maintained.length} under maintenance`,
    waiting.length > 0 && `${waiting.length} waiting`,
    paused.length > 0 && `${paused.length} paused`,
  ]);
  if (failing.length > 0)
    return { mood: 'failing', words: failingWords(failing), more: failingMore(failing, rest, view, zone) };
  if (maintained.length > 0)
    return { mood: 'maintenance', words: 'Maintenance is under way', more: sentence(rest) };
  if (healthy.length > 0 && waiting.length + paused.length === 0)
    return { mood: 'healthy', words: 'Everything is running', more: jobs(all.length) };
  if (healthy.length > 0) return { mood: 'healthy', words: 'Nothing is failing', more: sentence(rest) };
  if (waiting.length > 0)
    return { mood: 'waiting', words: 'Waiting for the first beats', more: sentence(rest) };
  if (paused.length > 0) return { mood: 'paused', words: 'Everything is paused', more: jobs(all.length) };
  return { mood: 'waiting', words: 'Nothing is on this board yet', more: '' };
}

function failingWords(failing: readonly ShownMonitor[]): string {
  const [first, second] = failing;
  if (!second) return `${first?.name} is failing`;
  if (failing.length === 2) return `${first?.name} and ${second.name} are failing`;
  return `${first?.name} and ${failing.length - 1} others are failing`;
}

function failingMore(
  failing: readonly ShownMonitor[],
  rest: string,
  { nowMs }: BoardView,
  zone: ZoneText,
): string {
  const since = Math.min(...failing.map(({ failingSince }) => failingSince ?? nowMs));
  const first = `${failing.length === 1 ? 'Since' : 'The first since'} ${zone.when(since, nowMs)}, for ${durationText(nowMs - since)}.`;
  return rest === '' ? first : `${first} Of the others, ${rest}.`;
}

function jobs(count: number): string {
  return `${sentence(`${counted(count, 'job is', 'jobs are')} watched`)}`;
}

function sentence(text: string): string {
  return text === '' ? '' : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function joined(parts: readonly (string | false)[]): string {
  const kept = parts.filter((part) => part !== false);
  return kept.length < 2 ? kept.join('') : `${kept.slice(0, -1).join(', ')} and ${kept.at(-1)}`;
}
