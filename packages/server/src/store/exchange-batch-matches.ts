import { sql } from 'kysely';
import { buildExchangeFilterConditions, type ExchangeFilters } from './exchange-filters.ts';
import { resolveKeyFilter, selectExchangesById, sortExchangesNewestFirst } from './exchanges.ts';
import type { LiveExchangeBatch } from './live-exchange-batches.ts';
import type { DatabaseReader, ExchangeRow } from './ports.ts';

/** Number of ids in one statement. */
const IDS_PER_QUERY = 500;

/** The exchanges in some commit batches that match the filters. */
export interface ExchangeBatchMatches {
  /** Exact number of exchanges of the batches that match the filters. */
  readonly count: number;
  /** The last committed ones, newest first. All of them if there are not more than requested. */
  readonly rows: readonly ExchangeRow[];
}

/** Returns an organization's exchanges in some commit batches that match the filters. */
export async function getExchangeBatchMatches(
  reader: DatabaseReader,
  batches: readonly LiveExchangeBatch[],
  filters: ExchangeFilters & { readonly orgId: string },
  limit: number,
): Promise<ExchangeBatchMatches> {
  const keys = await resolveKeyFilter(reader, filters);
  const conditions = buildExchangeFilterConditions(filters, keys);
  const rows: ExchangeRow[] = [];
  let count = 0;
  for (const { ids, from, to } of [...batches].reverse())
    for (let end = ids.length; end > 0; end -= IDS_PER_QUERY) {
      const some = ids.slice(Math.max(0, end - IDS_PER_QUERY), end);
      const found = selectExchangesById(reader, some, { from, to }, conditions);
      const room = limit - rows.length;
      const taken = room > 0 ? await selectNewestRows(found, room + 1) : null;
      rows.push(...(taken ?? []).slice(0, room));
      count +=
        taken && taken.length <= room
          ? taken.length
          : await countMatches(found, conditions.length, some.length);
    }
  return { count, rows: sortExchangesNewestFirst(rows) };
}

function selectNewestRows(
  found: ReturnType<typeof selectExchangesById>,
  limit: number,
): Promise<ExchangeRow[]> {
  return found.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).execute();
}

/** Without a filter, all of them match. */
async function countMatches(
  found: ReturnType<typeof selectExchangesById>,
  conditions: number,
  ids: number,
): Promise<number> {
  if (conditions === 0) return ids;
  const row = await found.clearSelect().select(sql<number>`count(*)`.as('count')).executeTakeFirst();
  return Number(row?.count ?? 0);
}
