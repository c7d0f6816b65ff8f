import { sql } from 'kysely';
import { decodeCursor, type Page, type PageRequest, toPage } from './pages.ts';
import type { ExchangeRow, Reader } from './ports.ts';

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

/** An org's exchanges that pass every filter, newest first. */
export async function exchangePage(
  reader: Reader,
  request: PageRequest & ExchangeFilters,
): Promise<Page<ExchangeRow>> {
  let query = filtered(reader, request);
  if (request.cursor !== undefined) {
    const { at, id } = decodeCursor(request.cursor);
    query = query.where(({ eb, refTuple, tuple }) => eb(refTuple('created_at', 'id'), '<', tuple(at, id)));
  }
  const rows = await query
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(request.limit + 1)
    .execute();
  return toPage(rows, request.limit, (row) => ({ at: row.created_at, id: row.id }));
}

export function exchangeById(reader: Reader, orgId: string, id: string): Promise<ExchangeRow | undefined> {
  return reader
    .selectFrom('exchanges')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
}

function filtered(reader: Reader, request: PageRequest & ExchangeFilters) {
  const { routeMode, key, model, provider, status, state, from, to, metadata } = request;
  let query = reader.selectFrom('exchanges').selectAll().where('org_id', '=', request.orgId);
  if (routeMode !== undefined) query = query.where('route_mode', '=', routeMode);
  // One column or the other, not both: an `or` would cost the index on (org, key, time).
  if (key !== undefined) query = query.where(key.startsWith('key_') ? 'key_id' : 'key_name', '=', key);
  if (model !== undefined)
    query = query.where(({ eb, or }) => or([eb('model', '=', model), eb('model_requested', '=', model)]));
  if (provider !== undefined) query = query.where('provider', '=', provider);
  if (status !== undefined) query = query.where('status', '>=', status.from).where('status', '<=', status.to);
  if (state !== undefined) query = query.where('state', '=', state);
  if (from !== undefined) query = query.where('created_at', '>=', from);
  if (to !== undefined) query = query.where('created_at', '<', to);
  for (const [name, value] of Object.entries(metadata ?? {})) {
    // SQLite's function; PostgreSQL is given one of the same name. The path is `$."name"`, quoted as JSON.
    const member = sql<string>`json_extract(metadata_json, ${`$.${JSON.stringify(name)}`})`;
    query = query.where(sql`cast(${member} as text)`, '=', value);
  }
  return query;
}
