import type { analyticsAnnotations } from '@floe/contract/api/annotations';
import type * as z from 'zod';
import { formatBreakerName } from '../format/breaker-name.ts';
import { capitalize } from '../format/words.ts';
import type { DisplayStatus } from '../ui/status.tsx';
import { formatAuditAction } from './audit-action-label.ts';

/** An annotation of a chart, as the API returns it. */
export type Annotation = z.output<typeof analyticsAnnotations>['data'][number];

/**
 * An annotation as display text. It is shown as a mark in a chart and as a line in the list below the chart.
 */
export interface ChartAnnotation {
  /** Time of the event, in milliseconds since the epoch. */
  readonly at: number;
  readonly kind: Annotation['kind'];
  /** The state of a breaker. Null for events without a state. */
  readonly state: DisplayStatus | null;
  readonly text: string;
  readonly by: string | null;
  /** The page with details, or null if there is none. */
  readonly page: { readonly to: string; readonly search: Readonly<Record<string, string>> } | null;
}

/** Converts an annotation from the API to display text. Pure. */
export function toChartAnnotation(annotation: Annotation): ChartAnnotation {
  const { at, kind, text, actor_name, actor, subject } = annotation;
  const by = actor === 'file' ? 'floe.yaml' : (actor_name ?? actor);
  const common = { at: Date.parse(at), kind, by };
  if (kind === 'breaker') {
    const [state = '', ...rest] = text.split(': ');
    const known = BREAKER[state];
    const reason = rest.join(': ');
    return {
      ...common,
      state: known?.state ?? 'unknown',
      text: `Breaker ${formatBreakerName(subject.id)} ${known?.word ?? state.replaceAll('_', ' ')}${reason && `: ${reason}`}`,
      page: { to: '/management/breakers', search: { open: subject.id } },
    };
  }
  if (kind === 'note') return { ...common, state: null, text, page: null };
  if (kind === 'alert') {
    const [, event = '', ended, rest = ''] = /^(\w*)( ended)?(.*)$/s.exec(text) ?? [];
    const label = ALERT[event] ?? event.replaceAll('_', ' ');
    const name = ended === undefined ? capitalize(label) : `Alert ended (${label})`;
    return {
      ...common,
      state: 'warning',
      text: name + rest,
      page: { to: '/alerts', search: { subject: subject.id } },
    };
  }
  return {
    ...common,
    state: null,
    text: formatAuditAction(text, subject.name),
    page: { to: '/management/audit', search: { action: text, ...timeRangeAround(common.at) } },
  };
}

/** Returns the link parameters of a time range that contains an event, which can be older than the default range. */
function timeRangeAround(at: number): Readonly<Record<string, string>> {
  const minuteMs = 60_000;
  return { from: new Date(at - minuteMs).toISOString(), to: new Date(at + minuteMs).toISOString() };
}

/** Labels of alerts whose name would be unclear. */
const ALERT: Readonly<Record<string, string>> = {
  monitor_never_beaten: 'first beat missed',
  budget: 'budget threshold reached',
  breaker: 'breaker opened',
  credential: 'credential rejected',
};

const BREAKER: Readonly<Record<string, { readonly word: string; readonly state: DisplayStatus }>> = {
  open: { word: 'opened', state: 'failing' },
  half_open: { word: 'became half-open', state: 'waiting' },
  ramping: { word: 'started ramping up', state: 'partial' },
  closed: { word: 'closed', state: 'healthy' },
  forced_open: { word: 'was forced open', state: 'paused' },
  forced_closed: { word: 'was forced closed', state: 'paused' },
  released: { word: 'returned to automatic', state: 'healthy' },
};

/**
 * Groups the annotations between `from` and `to`, so that marks that would overlap in a chart are in the same
 * group.
 * @param width The number of marks that fit next to each other in the chart.
 */
export function clusterAnnotations(
  marks: readonly ChartAnnotation[],
  from: number,
  to: number,
  width: number,
): readonly (readonly ChartAnnotation[])[] {
  const visible = marks.filter(({ at }) => at >= from && at <= to).sort((one, other) => one.at - other.at);
  const apart = (to - from) / Math.max(1, width);
  const groups: ChartAnnotation[][] = [];
  for (const mark of visible) {
    const group = groups.at(-1);
    if (group && mark.at - (group[0]?.at ?? 0) < apart) group.push(mark);
    else groups.push([mark]);
  }
  return groups;
}
