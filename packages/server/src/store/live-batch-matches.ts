import { sql } from 'kysely';
import { buildExchangeFilterConditions, type ExchangeFilters } from './exchange-filters.ts';
import { resolveKeyFilter, selectExchangesById } from './exchanges.ts';
import type { LiveExchangeBatch } from './live-exchange-batches.ts';
import type { DatabaseReader, ExchangeRow } from './store-interfaces.ts';
import { mergeRowsNewestFirst } from './time-scan.ts';

/** Number of ids in one statement. */
const IDS_PER_QUERY = 500;

/**
 * The exchanges in some batches that match the filters. A batch contains exchanges that were committed
 * together.
 */
export interface LiveBatchMatches {
  /** The exact number of matching exchanges. */
  readonly count: number;
  /** The matching exchanges that were committed last, newest first. Not more than the requested number. */
  readonly rows: readonly ExchangeRow[];
}

/** Returns the exchanges in the given batches that belong to the organization and match the filters. */
export async function getLiveBatchMatches(
  reader: DatabaseReader,
  batches: readonly LiveExchangeBatch[],
  filters: ExchangeFilters & { readonly orgId: string },
  limit: number,
): Promise<LiveBatchMatches> {
  const keys = await resolveKeyFilter(reader, filters);
  const conditions = buildExchangeFilterConditions(reader, filters, keys);
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
  return { count, rows: mergeRowsNewestFirst(rows) };
}

function selectNewestRows(
  found: ReturnType<typeof selectExchangesById>,
  limit: number,
): Promise<ExchangeRow[]> {
  return found.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).execute();
}

/** Counts the matching exchanges. Without a condition, all of them match. */
async function countMatches(
  found: ReturnType<typeof selectExchangesById>,
  conditions: number,
  ids: number,
): Promise<number> {
  if (conditions === 0) return ids;
  const row = await found.clearSelect().select(sql<number>`count(*)`.as('count')).executeTakeFirst();
  return Number(row?.count ?? 0);
}
