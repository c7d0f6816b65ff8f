import type { CandidateId } from './candidate.ts';
import { FEATURES } from './features.ts';
import {
  FEATURE_BODIES,
  FEATURE_CONNECTIONS,
  FEATURE_METRICS,
  featureMetricId,
  type Metric,
  type Samples,
} from './metrics.ts';

export const CANDIDATE_NAMES: Record<CandidateId, string> = {
  direct: 'direct',
  nginx: 'nginx',
  bare: 'bare Node',
  floe: 'Floe',
  portkey: 'Portkey',
  litellm: 'LiteLLM',
};
const RATIOS = [
  ['floe', 'nginx'],
  ['floe', 'bare'],
  ['portkey', 'floe'],
  ['litellm', 'floe'],
] as const;

/**
 * Lines of a Markdown table: one row for each metric that was measured, one column for each candidate, and ratios.
 * Empty when none of the metrics was measured. `hasTargets`: the last column compares Floe with its targets.
 */
export function formatComparison(
  ids: readonly CandidateId[],
  samples: Samples,
  metrics: readonly Metric[],
  hasTargets = true,
): string[] {
  const measured = metrics.filter((metric) => ids.some((id) => samples.best(metric, id) !== undefined));
  const shownIds = ids.filter((id) => measured.some((metric) => samples.best(metric, id) !== undefined));
  const ratios = RATIOS.filter((pair) => pair.every((id) => shownIds.includes(id)));
  const head = [
    '',
    ...shownIds.map((id) => CANDIDATE_NAMES[id]),
    ...ratios.map(([one, other]) => `${CANDIDATE_NAMES[one]} ÷ ${CANDIDATE_NAMES[other]}`),
    ...(hasTargets ? ['target'] : []),
  ];
  const rows = measured.map((metric) => {
    const best = (id: CandidateId) => samples.best(metric, id);
    return [
      `${metric.label}, ${metric.unit}`,
      ...shownIds.map((id) => shown(best(id))),
      ...ratios.map(([one, other]) => ratio(best(one), best(other))),
      ...(hasTargets ? [targetOf(metric, best('floe'))] : []),
    ];
  });
  return rows.length === 0 ? [] : aligned([head, ...rows]);
}

/** The same for the features of Floe: one row for each, with the ratio to Floe without it. */
export function formatFeatures(samples: Samples): string[] {
  const best = (feature: (typeof FEATURES)[number]['id'], body: (typeof FEATURE_BODIES)[number]) => {
    const metric = FEATURE_METRICS.find(({ id }) => id === featureMetricId(feature, body));
    return metric && samples.best(metric, 'floe');
  };
  const bodies = FEATURE_BODIES.filter((body) => best('plain', body) !== undefined);
  if (bodies.length === 0) return [];
  const head = bodies.flatMap((body) => [`${body}, µs`, 'ratio']);
  const rows = FEATURES.map(({ id, label }) => [
    label,
    ...bodies.flatMap((body) => [shown(best(id, body)), ratio(best(id, body), best('plain', body))]),
  ]);
  return aligned([[`Floe, CPU per request, c=${FEATURE_CONNECTIONS}`, ...head], ...rows]);
}

function shown(value: number | undefined): string {
  if (value === undefined) return '';
  return value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString('en-US');
}

function ratio(one: number | undefined, other: number | undefined): string {
  if (one === undefined || other === undefined || !(other > 0)) return '';
  return (one / other).toFixed(one / other < 10 ? 2 : 0);
}

function targetOf({ target, best }: Metric, value: number | undefined): string {
  if (target === undefined) return '';
  const text = `${best === 'min' ? '≤' : '≥'} ${shown(target)}`;
  if (value === undefined) return text;
  return `${text} ${(best === 'min' ? value <= target : value >= target) ? 'met' : 'missed'}`;
}

/** Padded, so that the source reads as a table too; figures stand on the right. */
export function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join(' | ')} |`;
  const rule = `|${widths.map((width, i) => (i === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  const [head = [], ...body] = rows;
  return [line(head), rule, ...body.map(line)];
}
