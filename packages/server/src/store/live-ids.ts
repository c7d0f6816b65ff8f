import { isObject } from '@floe/contract/json';
import { liveBatchIn } from './live-batches.ts';
import { type LivePosition, liveDataBeyond } from './live-events.ts';
import type { Reader } from './ports.ts';

/** More of them than a moment brings: a transaction of somebody else holds the order of events back. */
const MOST_BEYOND = 50;

/**
 * Ids of an org's exchanges that were committed after a position. None when they are so many that whoever leaves
 * them out would show an old list: then some are told twice rather than late.
 */
export async function liveIdsBeyond(
  reader: Reader,
  orgId: string,
  after: LivePosition,
): Promise<ReadonlySet<string>> {
  const limit = MOST_BEYOND + 1;
  const found = await liveDataBeyond(reader, { orgId, topic: 'requests', after, limit });
  if (found.length === limit) return new Set();
  const batches = found.filter(isObject).flatMap((data) => liveBatchIn(data) ?? []);
  return new Set(batches.flatMap(({ ids }) => ids));
}
