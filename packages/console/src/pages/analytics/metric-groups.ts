import { toDecimalUsd } from '@floe/contract/decimal-usd';
import { formatMoney } from '../../format/amounts.ts';
import { analyticsText } from './text.ts';

/** Computes totals, their groups and the change from the previous period. Pure. */

/** Metrics that can be added: the values of all groups add up to the total. */
export interface AdditiveMetrics {
  readonly requests: number;
  readonly errors: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cached_tokens: number;
  readonly cost_nano_usd: number;
}

/** The name of a metric that can be added. */
export type AdditiveMetricName = keyof AdditiveMetrics;

/** The metrics of the requests with the same value of a dimension, as the API returns them. */
export interface MetricGroup extends AdditiveMetrics {
  readonly value: string | null;
  readonly name: string | null;
  readonly previous?: AdditiveMetrics | null | undefined;
}

/** A row of the table: one group, or all groups that the table does not list. */
export interface MetricGroupRow {
  /** The value of the dimension. Null for requests without a value, and for the row of all other groups. */
  readonly value: string | null;
  readonly label: string;
  readonly isOther: boolean;
  readonly sums: AdditiveMetrics;
  /** The share of the total, as a ratio. Null if the total is 0. */
  readonly share: number | null;
  /** The change from the previous period, as a ratio. Null if there is no previous value. */
  readonly change: number | null;
}

/**
 * Returns the change as a ratio of the previous value: 0.1 for an increase of 10%. Returns null if one of the
 * values is unknown or the previous value is 0.
 */
export function computeRelativeChange(now: number | undefined, before: number | undefined): number | null {
  if (now === undefined || before === undefined || before === 0) return null;
  return now / before - 1;
}

/**
 * Formats the cost per request that reached a provider. Requests that Floe rejected or answered from the cache do not
 * lower it.
 */
export function formatCostPerProviderRequest({
  cost_nano_usd,
  upstream_requests,
}: {
  readonly cost_nano_usd: number;
  readonly upstream_requests: number;
}): string {
  return upstream_requests === 0 ? '–' : formatMoney(Math.round(cost_nano_usd / upstream_requests));
}

/** Returns the label of the group of requests that have no value for the dimension `by`. */
export function getMissingValueLabel(by: string): string {
  const labels: Readonly<Record<string, string>> = analyticsText.missingValues;
  return labels[by] ?? analyticsText.missingValue;
}

/** Maximum number of groups that the table requests. */
export const MAX_METRIC_GROUPS = 100;

/**
 * Returns one row per group of the dimension `by`. If there can be more groups than were requested, adds one row for all
 * of them, so that the rows add up exactly to the total. If all groups are listed, a difference to the total is caused
 * by requests that were counted between the two queries.
 */
export function toMetricGroupRows(
  by: string,
  groups: readonly MetricGroup[],
  total: AdditiveMetrics,
  metric: AdditiveMetricName,
): readonly MetricGroupRow[] {
  const rows = groups.map((group): MetricGroupRow => {
    const { value, name, previous } = group;
    return {
      value,
      label: name ?? value ?? getMissingValueLabel(by),
      isOther: false,
      sums: group,
      share: ratio(group[metric], total[metric]),
      change: computeRelativeChange(group[metric], previous?.[metric]),
    };
  });
  if (groups.length < MAX_METRIC_GROUPS) return rows;
  const rest = subtractGroups(total, groups);
  if (rest.requests <= 0) return rows;
  const share = ratio(rest[metric], total[metric]);
  return [
    ...rows,
    { value: null, label: analyticsText.other, isOther: true, sums: rest, share, change: null },
  ];
}

function ratio(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

function subtractGroups(total: AdditiveMetrics, groups: readonly AdditiveMetrics[]): AdditiveMetrics {
  const left = (name: AdditiveMetricName) => groups.reduce((rest, group) => rest - group[name], total[name]);
  return {
    requests: left('requests'),
    errors: left('errors'),
    input_tokens: left('input_tokens'),
    output_tokens: left('output_tokens'),
    cached_tokens: left('cached_tokens'),
    cost_nano_usd: left('cost_nano_usd'),
  };
}

const COUNTS: readonly AdditiveMetricName[] = [
  'requests',
  'errors',
  'input_tokens',
  'cached_tokens',
  'output_tokens',
];

/** The time range and the time zone of an exported table. */
export interface ExportTimeRange {
  readonly from: string;
  readonly to: string;
  readonly timezone: string;
}

/**
 * Formats the table as CSV, with unformatted numbers and exact dollar amounts. Escapes cells that a
 * spreadsheet would treat as a formula.
 */
export function formatMetricGroupsCsv(
  by: string,
  rows: readonly MetricGroupRow[],
  { from, to, timezone }: ExportTimeRange,
): string {
  const line = ({ label, value, sums }: MetricGroupRow) =>
    [
      from,
      to,
      timezone,
      csvCell(label),
      csvCell(value ?? ''),
      ...COUNTS.map((column) => String(sums[column])),
      toDecimalUsd(sums.cost_nano_usd),
    ].join(',');
  return [
    ['from', 'to', 'timezone', csvCell(by), 'id', ...COUNTS, 'cost_usd'].join(','),
    ...rows.map(line),
    '',
  ].join('\r\n');
}

function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
