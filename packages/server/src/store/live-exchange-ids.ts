import { isObject } from '@floe/contract/json';
import { type LiveEventPosition, listLiveEventData } from './live-events.ts';
import { parseLiveExchangeBatch } from './live-exchange-batches.ts';
import type { DatabaseReader } from './ports.ts';

/** More of them than a moment brings: a transaction of somebody else holds the order of events back. */
const MAX_BATCHES = 50;

/**
 * Ids of an org's exchanges that were committed after a position. None when they are so many that whoever leaves
 * them out would show an old list: then some are told twice rather than late.
 */
export async function listLiveExchangeIdsAfter(
  reader: DatabaseReader,
  orgId: string,
  after: LiveEventPosition,
): Promise<ReadonlySet<string>> {
  const limit = MAX_BATCHES + 1;
  const found = await listLiveEventData(reader, { orgId, topic: 'requests', after, limit });
  if (found.length === limit) return new Set();
  const batches = found.filter(isObject).flatMap((data) => parseLiveExchangeBatch(data) ?? []);
  return new Set(batches.flatMap(({ ids }) => ids));
}
