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

/** One row for each group and one for what is beyond them, which together are exactly the total. */
export function rowsOf(groups: readonly Group[], total: Sums, metric: SumName): readonly GroupRow[] {
  const rows = groups.map((group): GroupRow => {
    const { value, name, previous } = group;
    return {
      value,
      label: name ?? value ?? 'none',
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

const COLUMNS: readonly SumName[] = [
  'requests',
  'errors',
  'input_tokens',
  'cached_tokens',
  'output_tokens',
  'cost_nano_usd',
];

/** The table as a file: raw numbers, the total last. A cell that begins like a formula is quoted from spreadsheets. */
export function csvOf(by: string, rows: readonly GroupRow[], total: Sums): string {
  const line = (name: string, id: string, sums: Sums) =>
    [cell(name), cell(id), ...COLUMNS.map((column) => String(sums[column]))].join(',');
  return [
    [cell(by), 'id', ...COLUMNS].join(','),
    ...rows.map(({ label, value, sums }) => line(label, value ?? '', sums)),
    line('Total', '', total),
    '',
  ].join('\r\n');
}

function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
