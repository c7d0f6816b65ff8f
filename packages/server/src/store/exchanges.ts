import { type RawBuilder, sql } from 'kysely';
import { decodeCursor, encodeCursor, type Page, type PageRequest, type Position, toPage } from './pages.ts';
import type { ExchangeRow, Reader } from './ports.ts';
import { namesIn } from './rollups/gather.ts';

export interface ExchangeFilters {
  readonly routeMode?: string | undefined;
  /** A key's id (`key_…`) or its name. */
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

/** Rows looked at for one page when only their metadata text can tell which belong to it. */
const SCANNED_ROWS = 20_000;

type Request = PageRequest & ExchangeFilters;

/**
 * An org's exchanges that pass every filter, newest first. Each filter has an index, metadata keys the org
 * declared too. A filter on another metadata key looks at 20,000 rows per page: such a page may hold fewer
 * rows than asked for, even none, while its cursor leads on.
 */
export async function exchangePage(reader: Reader, request: Request): Promise<Page<ExchangeRow>> {
  const { declared, others } = await metadataFilters(reader, request);
  const horizon = others.length > 0 ? await scanEnd(reader, request) : undefined;
  const [first, ...further] = declared;
  let query = filtered(reader, request, first);
  for (const [name, value] of [...further, ...others]) query = query.where(hasMember(name), '=', value);
  if (horizon) query = query.where(notBefore(horizon));
  const { model } = request;
  // Two walks along two indexes, merged: no index serves an `or` in the order of time.
  const rows =
    model === undefined
      ? await query.execute()
      : merged([
          await query.where('exchanges.model', '=', model).execute(),
          await query.where('exchanges.model_requested', '=', model).execute(),
        ]);
  const page = toPage(rows, request.limit, positionOf);
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

function positionOf(row: ExchangeRow): Position {
  return { at: row.created_at, id: row.id };
}

/** Each row once, newest first. */
function merged(pages: readonly (readonly ExchangeRow[])[]): ExchangeRow[] {
  const byId = new Map(pages.flat().map((row) => [row.id, row]));
  return [...byId.values()].sort(
    (one, other) => other.created_at - one.created_at || (one.id < other.id ? 1 : -1),
  );
}

/** The page without its metadata filters but `marked`, whose index then leads the way instead of time's. */
function filtered(reader: Reader, request: Request, marked: MetadataFilter | undefined) {
  const { routeMode, key, provider, status, state } = request;
  const [time, id] = marked
    ? ['marked.created_at', 'marked.exchange_id']
    : ['exchanges.created_at', 'exchanges.id'];
  const place = { time: sql.ref<number>(time), id: sql.ref<string>(id) };
  let query = reader
    .selectFrom('exchanges')
    .$if(marked !== undefined, (all) =>
      all.innerJoin('exchange_metadata as marked', (join) =>
        join
          .onRef('marked.exchange_id', '=', 'exchanges.id')
          .onRef('marked.created_at', '=', 'exchanges.created_at')
          .on('marked.org_id', '=', request.orgId)
          .on('marked.name', '=', marked?.[0] ?? '')
          .on('marked.value', '=', marked?.[1] ?? ''),
      ),
    )
    .selectAll('exchanges')
    .where('exchanges.org_id', '=', request.orgId)
    .where(inRange(request, place))
    .orderBy(place.time, 'desc')
    .orderBy(place.id, 'desc')
    .limit(request.limit + 1);
  if (routeMode !== undefined) query = query.where('route_mode', '=', routeMode);
  // One column or the other, not both: an `or` would cost the index on (org, key, time).
  if (key !== undefined) query = query.where(key.startsWith('key_') ? 'key_id' : 'key_name', '=', key);
  if (provider !== undefined) query = query.where('provider', '=', provider);
  if (status !== undefined) query = query.where('status', '>=', status.from).where('status', '<=', status.to);
  if (state !== undefined) query = query.where('state', '=', state);
  // Said again without a parameter, as the indexes of what does not succeed say it.
  if (status !== undefined && (status.from >= 300 || status.to < 200))
    query = query.where(sql<boolean>`(status < 200 or status >= 300)`);
  if (state !== undefined && state !== 'complete') query = query.where(sql<boolean>`state <> 'complete'`);
  return query;
}

interface Place {
  readonly time: RawBuilder<number>;
  readonly id: RawBuilder<string>;
}

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

/** Position of the last row that one page looks at; undefined when fewer are left. */
async function scanEnd(reader: Reader, request: Request): Promise<Position | undefined> {
  const place = { time: sql.ref<number>('created_at'), id: sql.ref<string>('id') };
  const last = await reader
    .selectFrom('exchanges')
    .select(['created_at', 'id'])
    .where('org_id', '=', request.orgId)
    .where(inRange(request, place))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .offset(SCANNED_ROWS - 1)
    .limit(1)
    .executeTakeFirst();
  return last && { at: last.created_at, id: last.id };
}

function notBefore({ at, id }: Position) {
  return sql<boolean>`(exchanges.created_at >= ${at} and (exchanges.created_at, exchanges.id) >= (${at}, ${id}))`;
}

function hasMember(name: string) {
  // SQLite's function; PostgreSQL is given one of the same name. The path is `$."name"`, quoted as JSON.
  return sql<string>`cast(json_extract(metadata_json, ${`$.${JSON.stringify(name)}`}) as text)`;
}
