import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import {
  type Choice,
  conditionsOf,
  type ExchangeFilters,
  metadataFilter,
  type NamedCondition,
} from './exchange-filters.ts';
import { alongStretches, type Found } from './exchange-stretches.ts';
import { walksFor } from './exchange-walks.ts';
import { decodeCursor, encodeCursor, type Page, type PageRequest, type Position, toPage } from './pages.ts';
import type { ExchangeRow, Reader } from './ports.ts';
import { namesIn } from './rollups/gather.ts';
import type { Schema } from './schema.ts';

/** Rows looked at for one page where no index tells which belong to it. */
const ROWS_SCANNED = 20_000;
/** Rows with a declared metadata value looked at for one page when there are other filters. */
const ROWS_MARKED = 2_000;

export interface ExchangeQuery extends PageRequest, ExchangeFilters {
  /** Milliseconds, included. */
  readonly from?: number | undefined;
  /** Milliseconds, not included. */
  readonly to?: number | undefined;
}

/**
 * An org's exchanges that pass every filter, newest first. One filter is found by its index (metadata keys the
 * org declared have one too); rows found so are looked at for the others, 20,000 of them for a page. Such a
 * page may hold fewer rows than asked for, even none, while its cursor leads on.
 *
 * @param scanned rows looked at for a page
 */
export async function exchangePage(
  reader: Reader,
  query: ExchangeQuery,
  scanned = ROWS_SCANNED,
): Promise<Page<ExchangeRow>> {
  const keys = await keysOf(reader, query);
  if (keys !== undefined && isImpossible(keys)) return { rows: [], nextCursor: null };
  const mark = await declaredMark(reader, query);
  const { rows, horizon } = mark
    ? await marked(reader, query, keys, mark)
    : await walked(reader, query, keys, scanned);
  const page = toPage(rows, query.limit, ({ created_at, id }) => [created_at, id]);
  return page.nextCursor === null && horizon ? { ...page, nextCursor: encodeCursor(horizon) } : page;
}

export function exchangeById(reader: Reader, orgId: string, id: string): Promise<ExchangeRow | undefined> {
  return reader
    .selectFrom('exchanges')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Keys may be named; as ids, without those that nothing has. Undefined when the filter is not there. */
export async function keysOf(
  reader: Reader,
  { orgId, key }: { readonly orgId: string } & ExchangeFilters,
): Promise<Choice | undefined> {
  if (!key) return undefined;
  const [any, none] = [await keyIds(reader, orgId, key.any), await keyIds(reader, orgId, key.none)];
  return { any: key.any.length > 0 && any.length === 0 ? [NOBODY] : any, none };
}

/** Stands for keys that do not exist. */
const NOBODY = '';

function isImpossible({ any }: Choice): boolean {
  return any.length === 1 && any[0] === NOBODY;
}

async function keyIds(reader: Reader, orgId: string, keys: readonly string[]): Promise<string[]> {
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

type Query = SelectQueryBuilder<Schema, 'exchanges', ExchangeRow>;

/** Walks back in time, along the index of one filter if there is one, and looks at the rows for the others. */
async function walked(
  reader: Reader,
  query: ExchangeQuery,
  keys: Choice | undefined,
  scanned: number,
): Promise<Found> {
  const { conditions, answers } = walksFor(query, keys);
  const others = conditionsOf(query, keys).filter(({ filter }) => filter !== answers);
  const found: Found[] = [];
  const perWalk = Math.ceil(scanned / conditions.length);
  for (const condition of conditions) {
    const between = (cursor: string | undefined, end?: Position) =>
      reader
        .selectFrom('exchanges')
        .where('org_id', '=', query.orgId)
        .where(condition)
        .where(inRange({ ...query, cursor }, EXCHANGE, end));
    const { cursor, limit } = query;
    found.push(await alongStretches(reader, { between, cursor, others, limit, scanned: perWalk }));
  }
  const horizon = found
    .flatMap((walk) => walk.horizon ?? [])
    .sort(byTime)
    .at(0);
  const rows = newestFirst(found.flatMap((walk) => walk.rows));
  // A walk that ended earlier in time says nothing about what another has not looked at.
  return { rows: horizon ? rows.filter((row) => byTime(positionOf(row), horizon) <= 0) : rows, horizon };
}

/** A metadata value that an index leads to. */
interface Mark {
  readonly name: string;
  readonly values: readonly string[];
}

async function declaredMark(reader: Reader, { orgId, metadata = {} }: ExchangeQuery): Promise<Mark | null> {
  const asked = Object.entries(metadata).filter(([, { any, none }]) => any.length > 0 && none.length === 0);
  if (asked.length === 0) return null;
  const org = await reader
    .selectFrom('orgs')
    .select('metadata_keys_json')
    .where('id', '=', orgId)
    .executeTakeFirst();
  const names = new Set(namesIn(org?.metadata_keys_json ?? null));
  const [first] = asked.filter(([name]) => names.has(name));
  return first ? { name: first[0], values: [...new Set(first[1].any)] } : null;
}

/** Takes rows by the ids that the index of a declared metadata value gives, and looks at those. */
async function marked(
  reader: Reader,
  query: ExchangeQuery,
  keys: Choice | undefined,
  mark: Mark,
): Promise<Found> {
  const others = conditionsOf(query, keys).filter(({ filter }) => filter !== metadataFilter(mark.name));
  const looked = others.length > 0 ? ROWS_MARKED : query.limit + 1;
  const { places, horizon } = await markedPlaces(reader, query, mark, looked);
  if (places.length === 0) return { rows: [], horizon };
  const rows = await rowsAt(reader, places, others).execute();
  return { rows: newestFirst(rows), horizon };
}

/** Where the newest rows with a declared metadata value are; all of them, unless there is a `horizon`. */
async function markedPlaces(reader: Reader, query: ExchangeQuery, { name, values }: Mark, looked: number) {
  const found: Position[] = [];
  let isCut = false;
  for (const value of values) {
    const rows = await reader
      .selectFrom('exchange_metadata')
      .select(['created_at', 'exchange_id'])
      .where('org_id', '=', query.orgId)
      .where('name', '=', name)
      .where('value', '=', value)
      .where(inRange(query, MARK))
      .orderBy('created_at', 'desc')
      .orderBy('exchange_id', 'desc')
      .limit(looked)
      .execute();
    isCut ||= rows.length === looked;
    for (const row of rows) found.push({ at: row.created_at, id: row.exchange_id });
  }
  const places = found.sort(byTime).slice(0, looked);
  return { places, horizon: isCut || found.length > looked ? places.at(-1) : undefined };
}

/** Rows by their places. Nothing here but the ids may look like a way in: SQLite would rather walk an org's time. */
export function rowsAt(
  reader: Reader,
  places: readonly Position[],
  others: readonly NamedCondition[],
): Query {
  const times = places.map(({ at }) => at);
  return rowsNamed(
    reader,
    places.map(({ id }) => id),
    { from: Math.min(...times), to: Math.max(...times) },
    others,
  );
}

/** Rows by id, made between two moments, both included: these tell PostgreSQL the days to look at. */
export function rowsNamed(
  reader: Reader,
  ids: readonly string[],
  { from, to }: { readonly from: number; readonly to: number },
  others: readonly NamedCondition[],
): Query {
  let query = reader
    .selectFrom('exchanges')
    .selectAll()
    .where(sql<boolean>`created_at >= ${from} and created_at <= ${to} and id in (${sql.join(ids)})`);
  for (const { condition } of others) query = query.where(condition);
  return query;
}

export function positionOf(row: ExchangeRow): Position {
  return { at: row.created_at, id: row.id };
}

/** Newest first. */
function byTime(one: Position, other: Position): number {
  if (one.at !== other.at) return other.at - one.at;
  return one.id === other.id ? 0 : one.id < other.id ? 1 : -1;
}

/** Each row once. */
export function newestFirst(rows: readonly ExchangeRow[]): ExchangeRow[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return [...byId.values()].sort((one, other) => byTime(positionOf(one), positionOf(other)));
}

interface Place {
  readonly time: RawBuilder<number>;
  readonly id: RawBuilder<string>;
}

const EXCHANGE: Place = { time: sql.ref('created_at'), id: sql.ref('id') };
const MARK: Place = { time: sql.ref('created_at'), id: sql.ref('exchange_id') };

/**
 * The time asked for and what comes after the cursor, down to `end`, which is in that time. One bound on either side:
 * of two, SQLite begins at the one that stands first.
 */
function inRange({ from, to, cursor }: ExchangeQuery, { time, id }: Place, end?: Position) {
  const conditions = [sql<boolean>`true`];
  const last = cursor === undefined ? null : decodeCursor(cursor);
  // Times alone are implied, but only they tell PostgreSQL which days need no look.
  if (end) conditions.push(sql`${time} >= ${end.at}`, sql`(${time}, ${id}) >= (${end.at}, ${end.id})`);
  else if (from !== undefined) conditions.push(sql`${time} >= ${from}`);
  if (last) conditions.push(sql`${time} <= ${last.at}`, sql`(${time}, ${id}) < (${last.at}, ${last.id})`);
  if (to !== undefined && !(last && last.at < to)) conditions.push(sql`${time} < ${to}`);
  return sql<boolean>`${sql.join(conditions, sql` and `)}`;
}
