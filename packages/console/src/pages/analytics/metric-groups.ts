import { toDecimalUsd } from '@floe/contract/decimal-usd';

/** Sums, their parts and those of the time before. Pure. */

/** The metrics that add up, as every answer has them. */
export interface MetricSums {
  readonly requests: number;
  readonly errors: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cached_tokens: number;
  readonly cost_nano_usd: number;
}

export type MetricSumName = keyof MetricSums;

export interface MetricGroup extends MetricSums {
  readonly value: string | null;
  readonly name: string | null;
  readonly previous?: MetricSums | null | undefined;
}

export interface MetricGroupRow {
  /** Null is what has no value of the dimension; `other` is what is beyond the list. */
  readonly value: string | null;
  readonly label: string;
  readonly isOther: boolean;
  readonly sums: MetricSums;
  /** Of the metric in the whole; null when the whole is nothing. */
  readonly share: number | null;
  /** Against the time before; null when there is nothing to measure against. */
  readonly change: number | null;
}

/** The change as a share of what was before; null where there is nothing to measure against. */
export function relativeChange(now: number | undefined, before: number | undefined): number | null {
  if (now === undefined || before === undefined || before === 0) return null;
  return now / before - 1;
}

const WITHOUT: Readonly<Record<string, string>> = {
  model: 'No model',
  model_requested: 'No model named',
  provider: 'No provider',
  key: 'No key',
  team: 'No team',
  owner: 'No owner',
  error_code: 'No error',
  cache: 'Cache not asked',
};

/** What is shown for requests that have no value of a dimension. */
export function missingValueLabel(by: string): string {
  return WITHOUT[by] ?? 'No value';
}

/** One row for each group of `by` and one for what is beyond them, which together are exactly the total. */
export function toGroupRows(
  by: string,
  groups: readonly MetricGroup[],
  total: MetricSums,
  metric: MetricSumName,
): readonly MetricGroupRow[] {
  const rows = groups.map((group): MetricGroupRow => {
    const { value, name, previous } = group;
    return {
      value,
      label: name ?? value ?? missingValueLabel(by),
      isOther: false,
      sums: group,
      share: ratio(group[metric], total[metric]),
      change: relativeChange(group[metric], previous?.[metric]),
    };
  });
  const rest = subtractGroups(total, groups);
  if (rest.requests <= 0) return rows;
  const share = ratio(rest[metric], total[metric]);
  return [...rows, { value: null, label: 'Other', isOther: true, sums: rest, share, change: null }];
}

function ratio(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

function subtractGroups(total: MetricSums, groups: readonly MetricSums[]): MetricSums {
  const left = (name: MetricSumName) => groups.reduce((rest, group) => rest - group[name], total[name]);
  return {
    requests: left('requests'),
    errors: left('errors'),
    input_tokens: left('input_tokens'),
    output_tokens: left('output_tokens'),
    cached_tokens: left('cached_tokens'),
    cost_nano_usd: left('cost_nano_usd'),
  };
}

const COUNTS: readonly MetricSumName[] = [
  'requests',
  'errors',
  'input_tokens',
  'cached_tokens',
  'output_tokens',
];

/** Of what time figures are. */
export interface ReportPeriod {
  readonly from: string;
  readonly to: string;
  readonly timezone: string;
}

/** The table as a file: raw numbers, dollars to the nano. A cell that begins like a formula is quoted from spreadsheets. */
export function formatGroupsCsv(
  by: string,
  rows: readonly MetricGroupRow[],
  { from, to, timezone }: ReportPeriod,
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
