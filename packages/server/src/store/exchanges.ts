import { sql } from 'kysely';
import { type Page, type PageRequest, pageOf, positionOf } from './page.ts';
import type { ExchangeRow, Reader } from './ports.ts';

export interface ExchangeFilter {
  readonly routeMode?: string | undefined;
  /** Id or name of the platform key. */
  readonly key?: string | undefined;
  /** As the client asked for it, or the served `provider/model`. */
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
  readonly status?: number | undefined;
  readonly state?: string | undefined;
  /** Milliseconds since the epoch, included. */
  readonly fromMs?: number | undefined;
  /** Milliseconds since the epoch, excluded. */
  readonly toMs?: number | undefined;
  /** All of these, compared as text. */
  readonly metadata?: ReadonlyMap<string, string>;
}

/** The exchanges of one org, newest first. */
export async function listExchanges(
  reader: Reader,
  orgId: string,
  filter: ExchangeFilter,
  request: PageRequest,
): Promise<Page<ExchangeRow>> {
  let query = filtered(reader, orgId, filter);
  if (request.cursor !== undefined) {
    const { at, id } = positionOf(request.cursor);
    query = query.where((is) => is(is.refTuple('created_at', 'id'), '<', is.tuple(at, id)));
  }
  const rows = await query
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(request.limit + 1)
    .execute();
  return pageOf(rows, request.limit, (row) => ({ at: row.created_at, id: row.id }));
}

function filtered(reader: Reader, orgId: string, filter: ExchangeFilter) {
  const { routeMode, key, model, provider, status, state, fromMs, toMs, metadata = new Map() } = filter;
  let query = reader.selectFrom('exchanges').where('org_id', '=', orgId);
  if (routeMode !== undefined) query = query.where('route_mode', '=', routeMode);
  if (key !== undefined)
    query = query.where((is) => is.or([is('key_id', '=', key), is('key_name', '=', key)]));
  if (model !== undefined) {
    const slash = model.indexOf('/');
    query = query.where((is) =>
      is.or([
        is('model_requested', '=', model),
        is.and([is('provider', '=', model.slice(0, slash)), is('model', '=', model.slice(slash + 1))]),
      ]),
    );
  }
  if (provider !== undefined) query = query.where('provider', '=', provider);
  if (status !== undefined) query = query.where('status', '=', status);
  if (state !== undefined) query = query.where('state', '=', state);
  if (fromMs !== undefined) query = query.where('created_at', '>=', fromMs);
  if (toMs !== undefined) query = query.where('created_at', '<', toMs);
  for (const [name, value] of metadata)
    query = query.where(sql<boolean>`cast(metadata_json ->> ${name} as text) = ${value}`);
  return query;
}

export function findExchange(reader: Reader, orgId: string, id: string): Promise<ExchangeRow | undefined> {
  return reader
    .selectFrom('exchanges')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
}
