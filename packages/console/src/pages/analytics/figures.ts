import { toDecimalUsd } from '@floe/contract/decimal-usd';

/** Sums, their parts and those of the time before. Pure. */

/** The metrics that add up, as every answer has them. */
export interface Sums {
  readonly requests: number;
  readonly errors: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cached_tokens: number;
  readonly cost_nano_usd: number;
}

export type SumName = keyof Sums;

export interface Group extends Sums {
  readonly value: string | null;
  readonly name: string | null;
  readonly previous?: Sums | null | undefined;
}

export interface GroupRow {
  /** Null is what has no value of the dimension; `other` is what is beyond the list. */
  readonly value: string | null;
  readonly label: string;
  readonly isOther: boolean;
  readonly sums: Sums;
  /** Of the metric in the whole; null when the whole is nothing. */
  readonly share: number | null;
  /** Against the time before; null when there is nothing to measure against. */
  readonly change: number | null;
}

/** The change as a share of what was before; null where there is nothing to measure against. */
export function changeOf(now: number | undefined, before: number | undefined): number | null {
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
export function withoutValue(by: string): string {
  return WITHOUT[by] ?? 'No value';
}

/** One row for each group of `by` and one for what is beyond them, which together are exactly the total. */
export function rowsOf(
  by: string,
  groups: readonly Group[],
  total: Sums,
  metric: SumName,
): readonly GroupRow[] {
  const rows = groups.map((group): GroupRow => {
    const { value, name, previous } = group;
    return {
      value,
      label: name ?? value ?? withoutValue(by),
      isOther: false,
      sums: group,
      share: shareOf(group[metric], total[metric]),
      change: changeOf(group[metric], previous?.[metric]),
    };
  });
  const rest = without(total, groups);
  if (rest.requests <= 0) return rows;
  const share = shareOf(rest[metric], total[metric]);
  return [...rows, { value: null, label: 'Other', isOther: true, sums: rest, share, change: null }];
}

function shareOf(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

function without(total: Sums, groups: readonly Sums[]): Sums {
  const left = (name: SumName) => groups.reduce((rest, group) => rest - group[name], total[name]);
  return {
    requests: left('requests'),
    errors: left('errors'),
    input_tokens: left('input_tokens'),
    output_tokens: left('output_tokens'),
    cached_tokens: left('cached_tokens'),
    cost_nano_usd: left('cost_nano_usd'),
  };
}

const COUNTS: readonly SumName[] = ['requests', 'errors', 'input_tokens', 'cached_tokens', 'output_tokens'];

/** Of what time figures are. */
export interface Period {
  readonly from: string;
  readonly to: string;
  readonly timezone: string;
}

/** The table as a file: raw numbers, dollars to the nano. A cell that begins like a formula is quoted from spreadsheets. */
export function csvOf(by: string, rows: readonly GroupRow[], { from, to, timezone }: Period): string {
  const line = ({ label, value, sums }: GroupRow) =>
    [
      from,
      to,
      timezone,
      cell(label),
      cell(value ?? ''),
      ...COUNTS.map((column) => String(sums[column])),
      toDecimalUsd(sums.cost_nano_usd),
    ].join(',');
  return [
    ['from', 'to', 'timezone', cell(by), 'id', ...COUNTS, 'cost_usd'].join(','),
    ...rows.map(line),
    '',
  ].join('\r\n');
}

function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
