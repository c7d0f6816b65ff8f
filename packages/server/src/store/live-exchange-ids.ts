import { isJsonObject } from '@floe/contract/json';
import { type LiveEventPosition, listLiveEventData } from './live-events.ts';
import { parseLiveExchangeBatch } from './live-exchange-batches.ts';
import type { DatabaseReader } from './store-interfaces.ts';

/**
 * Maximum number of batches to read. There are more only while another transaction delays the order of
 * events.
 */
const MAX_BATCHES = 50;

/**
 * Returns the ids of an organization's exchanges that were committed after a position. A list omits these
 * exchanges, because the event stream sends them later. If there are too many, returns an empty set. The
 * event stream then sends some exchanges that the list already contains.
 */
export async function listLiveExchangeIdsAfter(
  reader: DatabaseReader,
  orgId: string,
  after: LiveEventPosition,
): Promise<ReadonlySet<string>> {
  const limit = MAX_BATCHES + 1;
  const found = await listLiveEventData(reader, { orgId, topic: 'requests', after, limit });
  if (found.length === limit) return new Set();
  const batches = found.filter(isJsonObject).flatMap((data) => parseLiveExchangeBatch(data) ?? []);
  return new Set(batches.flatMap(({ ids }) => ids));
}
