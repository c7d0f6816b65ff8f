import { listKeyIdsWithTeamChange } from '../store/key-team-changes.ts';
import { getPlatformKeySummaries } from '../store/platform-keys.ts';
import {
  type KeyAndModelRollupSums,
  sumRollupsByKeyAndModel,
} from '../store/rollups/key-and-model-rollup-sums.ts';
import { sumPartialRanges } from '../store/rollups/partial-range-sums.ts';
import { HOUR_MS } from '../store/rollups/rollup-accumulator.ts';
import { ROLLUP_SUM_COLUMNS } from '../store/rollups/rollup-figures.ts';
import type { DatabaseReader } from '../store/store-interfaces.ts';
import { alignToUnits, findPartialRangesAround } from './chart-grid.ts';

const DAY_MS = 24 * HOUR_MS;

/** The time range of a calendar month in an organization. */
export interface MonthRange {
  readonly orgId: string;
  /** Start of the month, inclusive, in Unix milliseconds. */
  readonly from: number;
  /** End of the month, exclusive, in Unix milliseconds. */
  readonly to: number;
}

/** Returns the exact usage in a time range, by key and model. */
export async function queryUsageByKeyAndModel(
  reader: DatabaseReader,
  range: MonthRange,
): Promise<KeyAndModelRollupSums[]> {
  const { orgId } = range;
  const pieces = findPartialRangesAround(range, HOUR_MS);
  const outside = await sumPartialRanges(reader, {
    orgId,
    ranges: pieces,
    groupBy: ['key', 'model'],
    figures: ROLLUP_SUM_COLUMNS,
  });
  const rows = await sumRollupsByKeyAndModel(reader, { orgId, ...alignToUnits(range, HOUR_MS) });
  const byName = Map.groupBy(outside, ({ values }) => values.join('\n'));
  return rows
    .map(({ key, model, sums }) => {
      const left = [...sums];
      for (const piece of byName.get(`${key}\n${model}`) ?? [])
        for (const [at, sum] of piece.sums.entries()) left[at] = Math.max(0, (left[at] ?? 0) - sum);
      return { key, model, sums: left };
    })
    .filter(({ sums }) => (sums[ROLLUP_SUM_COLUMNS.indexOf('requests')] ?? 0) > 0);
}

/** The sums of a month by key and model, with the team that the key had at the time of the requests. */
interface TeamMonthRow extends KeyAndModelRollupSums {
  /** The team; '' if the key had none. */
  readonly team: string;
}

/** A row of the monthly bill: the usage of one key, model and team. */
export interface MonthlyUsageRow extends TeamMonthRow {
  /** Name of the key. Null if the key was deleted. */
  readonly keyName: string | null;
}

/**
 * Returns the sums of the given keys by the team of each request. Only the rows contain this team. Reads one
 * day per query, so that other queries can run in between.
 */
async function querySumsByTeam(
  reader: DatabaseReader,
  { orgId, from, to }: MonthRange,
  keys: readonly string[],
): Promise<TeamMonthRow[]> {
  if (keys.length === 0) return [];
  const found = new Map<string, TeamMonthRow & { readonly sums: number[] }>();
  const filter = { facet: 'key', any: keys, none: [] } as const;
  for (let at = from; at < to; at += DAY_MS) {
    const pieces = splitIntoHours(at, Math.min(at + DAY_MS, to));
    const groupBy = ['key', 'model', 'team'] as const;
    for (const { values, sums } of await sumPartialRanges(reader, {
      orgId,
      ranges: pieces,
      filter,
      groupBy,
      figures: ROLLUP_SUM_COLUMNS,
    })) {
      const [key = '', model = '', team = ''] = values;
      const name = JSON.stringify(values);
      const row = found.get(name) ?? { key, model, team, sums: ROLLUP_SUM_COLUMNS.map(() => 0) };
      found.set(name, row);
      for (const [place, sum] of sums.entries()) row.sums[place] = (row.sums[place] ?? 0) + sum;
    }
  }
  return [...found.values()];
}

/**
 * Returns a month's usage by key, model and team. Each request counts for the team to which its key belonged at
 * the time of the request. The usage of a past month therefore does not change when a key moves to another team.
 */
export async function queryMonthlyUsage(
  reader: DatabaseReader,
  month: MonthRange,
): Promise<MonthlyUsageRow[]> {
  const keys = await getPlatformKeySummaries(reader, month.orgId);
  const rows = await queryUsageByKeyAndModel(reader, month);
  const changed = new Set(
    rows.flatMap(({ key }) => {
      const { created_at = 0, updated_at = 0 } = keys.get(key) ?? {};
      return updated_at > created_at && updated_at >= month.from ? [key] : [];
    }),
  );
  const mayHaveMoved = (await listKeyIdsWithTeamChange(reader, month.orgId, changed, month.from)) ?? changed;
  const booked = await querySumsByTeam(reader, month, [...mayHaveMoved]);
  const others = rows
    .filter(({ key }) => !mayHaveMoved.has(key))
    .map((row) => ({ ...row, team: keys.get(row.key)?.team ?? '' }));
  const rowKey = ({ key, model, team }: TeamMonthRow) => [key, model, team].join('\n');
  return [...others, ...booked]
    .sort((one, other) => (rowKey(one) < rowKey(other) ? -1 : 1))
    .map((row) => ({ ...row, keyName: keys.get(row.key)?.name ?? null }));
}

function splitIntoHours(from: number, to: number) {
  const count = Math.ceil((to - from) / HOUR_MS);
  return Array.from({ length: count }, (_, n) => ({
    from: from + n * HOUR_MS,
    to: Math.min(from + (n + 1) * HOUR_MS, to),
  }));
}
