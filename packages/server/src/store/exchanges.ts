import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import { decodeCursor, encodeCursor, type Page, type PageRequest, type Position, toPage } from './pages.ts';
import type { ExchangeRow, Reader } from './ports.ts';
import { namesIn } from './rollups/gather.ts';
import type { Schema } from './schema.ts';

export interface ExchangeFilters {
  readonly routeMode?: string | undefined;
  /** A key's id (`key_…`) or the name it has now. */
  readonly key?: string | undefined;
  /** The model that served, or the one that was asked for. */
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
  /** HTTP statuses, both ends included: 429 to 429, 500 to 599. */
  readonly status?: { readonly from: number; readonly to: number } | undefined;
  readonly state?: string | undefined;
  /** Milliseconds, included. */
  readonly from?: number | undefined;
  /** Milliseconds, not included. */
  readonly to?: number | undefined;
  /** Members of the exchange's metadata and the value each must have. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/** Nearly every row has this one, so no index holds it: `exchanges_by_route_mode` holds the others. */
const COMMON_ROUTE_MODE = 'unified';
/** Rows looked at for one page when no index can tell which belong to it. */
const ROWS_SCANNED = 20_000;
/** Rows with a declared metadata value looked at for one page when there are other filters. */
const ROWS_MARKED = 2_000;

type Request = PageRequest & Omit<ExchangeFilters, 'key'> & { readonly keyIds: readonly string[] | null };

/**
 * An org's exchanges that pass every filter, newest first. Each filter has an index, metadata keys the org
 * declared too. A filter on another metadata key, or on the route mode `unified`, looks at 20,000 rows per
 * page: such a page may hold fewer rows than asked for, even none, while its cursor leads on.
 */
export async function exchangePage(
  reader: Reader,
  { key, ...asked }: PageRequest & ExchangeFilters,
): Promise<Page<ExchangeRow>> {
  const keyIds = key === undefined ? null : await keyIdsOf(reader, asked.orgId, key);
  if (keyIds?.length === 0) return { rows: [], nextCursor: null };
  const request = { ...asked, keyIds };
  const { declared, others } = await metadataFilters(reader, request);
  const [first, ...further] = declared;
  const { rows, horizon } = first
    ? await marked(reader, request, first, [...further, ...others])
    : await walked(reader, request, others);
  const page = toPage(rows, request.limit, positionOf);
  return page.nextCursor === null && horizon ? { ...page, nextCursor: encodeCursor(horizon) } : page;
}

/** Rows of a page, newest first, and the last place looked at when the page ended there. */
interface Found {
  readonly rows: readonly ExchangeRow[];
  readonly horizon: Position | undefined;
}

/** Walks back in time, along the index of a filter if there is one. */
async function walked(reader: Reader, request: Request, metadata: readonly MetadataFilter[]): Promise<Found> {
  const isScan = metadata.length > 0 || request.routeMode === COMMON_ROUTE_MODE;
  const horizon = isScan ? await scanEnd(reader, request) : undefined;
  let query = filtered(reader.selectFrom('exchanges').selectAll(), request)
    .where('org_id', '=', request.orgId)
    .where(inRange(request, EXCHANGE))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(request.limit + 1);
  for (const [name, value] of metadata) query = query.where(hasMember(name), '=', value);
  if (horizon) query = query.where(notBefore(horizon));
  const found = [];
  for (const walk of walksOf(query, request)) found.push(...(await walk.execute()));
  return { rows: newestFirst(found), horizon };
}

/** A walk along an index for each key and each meaning of the model: no index serves an `or` in the order of time. */
function walksOf(query: Query, { keyIds, model }: Request): Query[] {
  const byKey = keyIds ? keyIds.map((id) => query.where('key_id', '=', id)) : [query];
  if (model === undefined) return byKey;
  return byKey.flatMap((walk) => [
    walk.where('model', '=', model),
    walk.where('model_requested', '=', model),
  ]);
}

async function keyIdsOf(reader: Reader, orgId: string, key: string): Promise<readonly string[]> {
  if (key.startsWith('key_')) return [key];
  const named = reader.selectFrom('platform_keys').select('id').where('org_id', '=', orgId);
  return (await named.where('name', '=', key).execute()).map(({ id }) => id);
}

/** Takes rows by the ids that the index of a declared metadata value gives, and filters those. */
async function marked(
  reader: Reader,
  request: Request,
  first: MetadataFilter,
  metadata: readonly MetadataFilter[],
): Promise<Found> {
  const { places, horizon } = await markedPlaces(reader, request, first);
  if (places.length === 0) return { rows: [], horizon };
  // Nothing here but the ids may look like a way in: SQLite would rather walk an org's time.
  let query = filtered(reader.selectFrom('exchanges').selectAll(), request).where(isAmong(places));
  for (const [name, value] of metadata) query = query.where(hasMember(name), '=', value);
  const { model, keyIds } = request;
  if (keyIds) query = query.where('key_id', 'in', keyIds);
  if (model !== undefined)
    query = query.where(({ eb, or }) => or([eb('model', '=', model), eb('model_requested', '=', model)]));
  return { rows: newestFirst(await query.execute()), horizon };
}

export function exchangeById(reader: Reader, orgId: string, id: string): Promise<ExchangeRow | undefined> {
  return reader
    .selectFrom('exchanges')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
}

function positionOf(row: ExchangeRow): Position {
  return { at: row.created_at, id: row.id };
}

/** Each row once. */
function newestFirst(rows: readonly ExchangeRow[]): ExchangeRow[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return [...byId.values()].sort(
    (one, other) => other.created_at - one.created_at || (one.id < other.id ? 1 : -1),
  );
}

type Query = SelectQueryBuilder<Schema, 'exchanges', ExchangeRow>;

/** All filters but those on key, model and metadata. */
function filtered(all: Query, { routeMode, provider, status, state }: Request): Query {
  let query = all;
  if (routeMode !== undefined) query = query.where('route_mode', '=', routeMode);
  // Said again without a parameter, as the index of the other route modes says it.
  if (routeMode !== undefined && routeMode !== COMMON_ROUTE_MODE)
    query = query.where(sql<boolean>`route_mode <> 'unified'`);
  if (provider !== undefined) query = query.where('provider', '=', provider);
  if (status !== undefined) query = query.where(hasStatus(status));
  if (state !== undefined) query = query.where('state', '=', state);
  // Said again without a parameter, as the index of what does not complete says it.
  if (state !== undefined && state !== 'complete') query = query.where(sql<boolean>`state <> 'complete'`);
  return query;
}

/** Statuses of one class other than 2xx are found in the index of their class. */
function hasStatus({ from, to }: { readonly from: number; readonly to: number }) {
  const between = sql<boolean>`status >= ${from} and status <= ${to}`;
  const [first, last] = [Math.floor(from / 100), Math.floor(to / 100)];
  if (first !== last || first === 2) return between;
  return sql<boolean>`status / 100 = ${first} and (status < 200 or status >= 300) and ${between}`;
}

interface Place {
  readonly time: RawBuilder<number>;
  readonly id: RawBuilder<string>;
}

const EXCHANGE: Place = { time: sql.ref('created_at'), id: sql.ref('id') };
const MARK: Place = { time: sql.ref('created_at'), id: sql.ref('exchange_id') };

/** The time asked for, and what comes after the cursor. */
function inRange({ from, to, cursor }: Request, { time, id }: Place) {
  const conditions = [sql<boolean>`true`];
  if (from !== undefined) conditions.push(sql`${time} >= ${from}`);
  if (to !== undefined) conditions.push(sql`${time} < ${to}`);
  if (cursor !== undefined) {
    const last = decodeCursor(cursor);
    // The first condition is implied, but only it tells PostgreSQL which days need no look.
    conditions.push(sql`${time} <= ${last.at}`, sql`(${time}, ${id}) < (${last.at}, ${last.id})`);
  }
  return sql<boolean>`${sql.join(conditions, sql` and `)}`;
}

type MetadataFilter = readonly [name: string, value: string];

async function metadataFilters(reader: Reader, { orgId, metadata = {} }: Request) {
  const filters: MetadataFilter[] = Object.entries(metadata);
  if (filters.length === 0) return { declared: [], others: [] };
  const org = await reader
    .selectFrom('orgs')
    .select('metadata_keys_json')
    .where('id', '=', orgId)
    .executeTakeFirst();
  const names = new Set(namesIn(org?.metadata_keys_json ?? null));
  return {
    declared: filters.filter(([name]) => names.has(name)),
    others: filters.filter(([name]) => !names.has(name)),
  };
}

/** Where the newest rows with a declared metadata value are; all of them, unless there is a `horizon`. */
async function markedPlaces(reader: Reader, request: Request, [name, value]: MetadataFilter) {
  const { orgId, limit, metadata = {}, routeMode, keyIds, model, provider, status, state } = request;
  const more = [routeMode, keyIds ?? undefined, model, provider, status, state].some(
    (filter) => filter !== undefined,
  );
  const looked = more || Object.keys(metadata).length > 1 ? ROWS_MARKED : limit + 1;
  const found = await reader
    .selectFrom('exchange_metadata')
    .select(['created_at', 'exchange_id'])
    .where('org_id', '=', orgId)
    .where('name', '=', name)
    .where('value', '=', value)
    .where(inRange(request, MARK))
    .orderBy('created_at', 'desc')
    .orderBy('exchange_id', 'desc')
    .limit(looked)
    .execute();
  const places = found.map((row): Position => ({ at: row.created_at, id: row.exchange_id }));
  return { places, horizon: places.length === looked ? places.at(-1) : undefined };
}

/** Time first, which tells PostgreSQL the days to look at. */
function isAmong(places: readonly Position[]) {
  const times = places.map(({ at }) => at);
  const ids = sql.join(places.map(({ id }) => id));
  return sql<boolean>`created_at >= ${Math.min(...times)} and created_at <= ${Math.max(...times)} and id in (${ids})`;
}

/** Position of the last row that one page looks at; undefined when fewer are left. */
async function scanEnd(reader: Reader, request: Request): Promise<Position | undefined> {
  const last = await reader
    .selectFrom('exchanges')
    .select(['created_at', 'id'])
    .where('org_id', '=', request.orgId)
    .where(inRange(request, EXCHANGE))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .offset(ROWS_SCANNED - 1)
    .limit(1)
    .executeTakeFirst();
  return last && { at: last.created_at, id: last.id };
}

function notBefore({ at, id }: Position) {
  return sql<boolean>`(created_at >= ${at} and (created_at, id) >= (${at}, ${id}))`;
}

function hasMember(name: string) {
  // SQLite's function; PostgreSQL is given one of the same name. The path is `$."name"`, quoted as JSON.
  return sql<string>`cast(json_extract(metadata_json, ${`$.${JSON.stringify(name)}`}) as text)`;
}
