import { type SelectQueryBuilder, sql } from 'kysely';
import {
  buildExchangeFilterConditions,
  type ExchangeFilterCondition,
  type ExchangeFilters,
  formatMetadataFilterName,
  type SqlCondition,
  type ValueFilter,
} from './exchange-filters.ts';
import { planExchangeScan } from './exchange-scan-plan.ts';
import {
  encodeTimeCursor,
  type PageRequest,
  type RowPage,
  type TimePosition,
  toRowPage,
} from './pagination.ts';
import { parseMetadataKeyNames } from './rollups/rollup-accumulator.ts';
import type { DatabaseSchema } from './schema.ts';
import type { DatabaseReader, ExchangeRow } from './store-interfaces.ts';
import {
  buildTimeRangeCondition,
  comparePositionsNewestFirst,
  MAX_SCANNED_ROWS,
  mergeRowsNewestFirst,
  scanNewestRows,
  type TimePositionColumns,
  type TimeScanRange,
  type TimeScanResult,
} from './time-scan.ts';

/** Maximum number of rows with a metadata value scanned for one page if there are other filters. */
const MAX_METADATA_ROWS = 2_000;

/** Selects a page of an organization's exchanges. */
export interface ExchangeQuery extends PageRequest, ExchangeFilters {
  /** Start of the time range, inclusive, in Unix milliseconds. */
  readonly from?: number | undefined;
  /** End of the time range, exclusive, in Unix milliseconds. */
  readonly to?: number | undefined;
}

/**
 * Returns a page of an organization's exchanges that match all filters, newest first. The query uses an index
 * for one of the filters, which can be a metadata key that the organization declared. All other filters are
 * checked row by row, on at most `scanned` rows per page. If that maximum is reached, the page can have fewer
 * rows than requested, or none, and still has a cursor.
 * @param scanned the maximum number of rows to check per page, by default 20,000
 */
export async function getExchangePage(
  reader: DatabaseReader,
  query: ExchangeQuery,
  scanned = MAX_SCANNED_ROWS,
): Promise<RowPage<ExchangeRow>> {
  const keys = await resolveKeyFilter(reader, query);
  if (keys !== undefined && matchesNothing(keys)) return { rows: [], nextCursor: null };
  const mark = await findIndexedMetadataFilter(reader, query);
  const { rows, scanEnd } = mark
    ? await scanByMetadata(reader, query, keys, mark)
    : await scanExchanges(reader, query, keys, scanned);
  const page = toRowPage(rows, query.limit, ({ created_at, id }) => [created_at, id]);
  return page.nextCursor === null && scanEnd ? { ...page, nextCursor: encodeTimeCursor(scanEnd) } : page;
}

/** The SQL condition that matches every row. */
export const MATCH_ALL_CONDITION: SqlCondition = sql`true`;

/**
 * Returns the number of an organization's exchanges in a time range that match the condition `indexed`, at
 * most `maximum`. Reads only the index that supports the condition.
 */
export async function countExchangesUpTo(
  reader: DatabaseReader,
  { orgId, indexed, ...range }: TimeScanRange & { readonly orgId: string; readonly indexed: SqlCondition },
  maximum: number,
): Promise<number> {
  const { rows } = await sql<{ total: number }>`select count(*) as total from (
    select 1 from exchanges where org_id = ${orgId} and ${indexed}
    and ${buildTimeRangeCondition(range, EXCHANGE_POSITION)} limit ${maximum}) as counted`.execute(reader);
  return Number(rows[0]?.total ?? 0);
}

export function findExchangeById(
  reader: DatabaseReader,
  orgId: string,
  id: string,
): Promise<ExchangeRow | undefined> {
  return reader
    .selectFrom('exchanges')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/**
 * Returns the filter `key` with key ids instead of names. Omits unknown names. If all accepted names are unknown,
 * the returned filter matches no rows. Returns undefined if there is no filter `key`.
 */
export async function resolveKeyFilter(
  reader: DatabaseReader,
  { orgId, key }: { readonly orgId: string } & ExchangeFilters,
): Promise<ValueFilter | undefined> {
  if (!key) return undefined;
  const [any, none] = [
    await resolveKeyIds(reader, orgId, key.any),
    await resolveKeyIds(reader, orgId, key.none),
  ];
  return { any: key.any.length > 0 && any.length === 0 ? [NO_SUCH_KEY] : any, none };
}

/** A key id that does not exist, for a condition that no row satisfies. */
const NO_SUCH_KEY = '';

function matchesNothing({ any }: ValueFilter): boolean {
  return any.length === 1 && any[0] === NO_SUCH_KEY;
}

async function resolveKeyIds(
  reader: DatabaseReader,
  orgId: string,
  keys: readonly string[],
): Promise<string[]> {
  const names = keys.filter((key) => !key.startsWith('key_'));
  const ids = keys.filter((key) => key.startsWith('key_'));
  if (names.length === 0) return ids;
  const named = await reader
    .selectFrom('platform_keys')
    .select('id')
    .where('org_id', '=', orgId)
    .where('name', 'in', names)
    .execute();
  return [...ids, ...named.map(({ id }) => id)];
}

type Query = SelectQueryBuilder<DatabaseSchema, 'exchanges', ExchangeRow>;

/** Scans from newest to oldest, with the index of one filter if there is one. Checks the other filters on the rows. */
function scanExchanges(
  reader: DatabaseReader,
  query: ExchangeQuery,
  keys: ValueFilter | undefined,
  maxScannedRows: number,
): Promise<TimeScanResult<ExchangeRow>> {
  const { conditions, coveredFilter } = planExchangeScan(query, keys);
  const others = buildExchangeFilterConditions(reader, query, keys).filter(
    ({ filter }) => filter !== coveredFilter,
  );
  return scanNewestRows(reader, {
    ...query,
    table: { name: 'exchanges', at: 'created_at' },
    indexScans: conditions,
    residualConditions: others.map(({ condition }) => condition),
    maxScannedRows,
  });
}

/** A metadata value for which there is an index. */
interface IndexedMetadataFilter {
  readonly name: string;
  readonly values: readonly string[];
}

async function findIndexedMetadataFilter(
  reader: DatabaseReader,
  { orgId, metadata = {} }: ExchangeQuery,
): Promise<IndexedMetadataFilter | null> {
  const asked = Object.entries(metadata).filter(([, { any, none }]) => any.length > 0 && none.length === 0);
  if (asked.length === 0) return null;
  const org = await reader
    .selectFrom('orgs')
    .select('metadata_keys_json')
    .where('id', '=', orgId)
    .executeTakeFirst();
  const names = new Set(parseMetadataKeyNames(org?.metadata_keys_json ?? null));
  const [first] = asked.filter(([name]) => names.has(name));
  return first ? { name: first[0], values: [...new Set(first[1].any)] } : null;
}

/** Reads rows by the ids from the index of a metadata value, and checks the other filters. */
async function scanByMetadata(
  reader: DatabaseReader,
  query: ExchangeQuery,
  keys: ValueFilter | undefined,
  mark: IndexedMetadataFilter,
): Promise<TimeScanResult<ExchangeRow>> {
  const others = buildExchangeFilterConditions(reader, query, keys).filter(
    ({ filter }) => filter !== formatMetadataFilterName(mark.name),
  );
  const looked = others.length > 0 ? MAX_METADATA_ROWS : query.limit + 1;
  const { places, horizon } = await listMetadataPositions(reader, query, mark, looked);
  if (places.length === 0) return { rows: [], scanEnd: horizon };
  const rows = await selectExchangesAtPositions(reader, places, others).execute();
  return { rows: mergeRowsNewestFirst(rows), scanEnd: horizon };
}

/** Returns the positions of the newest rows with a metadata value: all of them, unless `horizon` is set. */
async function listMetadataPositions(
  reader: DatabaseReader,
  query: ExchangeQuery,
  { name, values }: IndexedMetadataFilter,
  looked: number,
) {
  const found: TimePosition[] = [];
  let isCut = false;
  for (const value of values) {
    const rows = await reader
      .selectFrom('exchange_metadata')
      .select(['created_at', 'exchange_id'])
      .where('org_id', '=', query.orgId)
      .where('name', '=', name)
      .where('value', '=', value)
      .where(buildTimeRangeCondition(query, METADATA_POSITION))
      .orderBy('created_at', 'desc')
      .orderBy('exchange_id', 'desc')
      .limit(looked)
      .execute();
    isCut ||= rows.length === looked;
    for (const row of rows) found.push({ at: row.created_at, id: row.exchange_id });
  }
  const places = found.sort(comparePositionsNewestFirst).slice(0, looked);
  return { places, horizon: isCut || found.length > looked ? places.at(-1) : undefined };
}

/**
 * Selects the exchanges at these positions. Filters by id and not by time, because SQLite would otherwise scan
 * the index on the time.
 */
export function selectExchangesAtPositions(
  reader: DatabaseReader,
  places: readonly TimePosition[],
  others: readonly ExchangeFilterCondition[],
): Query {
  const times = places.map(({ at }) => at);
  return selectExchangesById(
    reader,
    places.map(({ id }) => id),
    { from: Math.min(...times), to: Math.max(...times) },
    others,
  );
}

/**
 * Selects rows by id. Only rows created in the time range (inclusive) are returned. The range determines
 * which partitions PostgreSQL reads.
 */
export function selectExchangesById(
  reader: DatabaseReader,
  ids: readonly string[],
  { from, to }: { readonly from: number; readonly to: number },
  others: readonly ExchangeFilterCondition[],
): Query {
  let query = reader
    .selectFrom('exchanges')
    .selectAll()
    .where(sql<boolean>`created_at >= ${from} and created_at <= ${to} and id in (${sql.join(ids)})`);
  for (const { condition } of others) query = query.where(condition);
  return query;
}

const EXCHANGE_POSITION: TimePositionColumns = { time: sql.ref('created_at'), id: sql.ref('id') };
const METADATA_POSITION: TimePositionColumns = { time: sql.ref('created_at'), id: sql.ref('exchange_id') };
