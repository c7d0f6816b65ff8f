import { computeUsageCost } from '../providers/prices.ts';
import type { Exchange } from './exchange-record.ts';

/**
 * What the provider's prompt cache saved in this answer, in nano-USD: what its input would have cost unread and
 * unwritten, less what it did. Below 0 where more was written, which costs more, than was read. Null when nothing was
 * cached or nobody knows the price.
 */
export function computePromptCacheSavings({
  result,
  target,
  answer: { usage },
  createdAt,
}: Exchange): number | null {
  if (result.state === 'cached' || target === null || usage === null) return null;
  const { input = 0, cached, cache_write, output = 0 } = usage.units;
  if (!cached && !cache_write) return null;
  const price = target.provider.priceOf(target.model);
  if (price === null) return null;
  const plain = { units: { input, output }, tier: usage.tier };
  return (
    computeUsageCost(price, plain, createdAt).nanoUsd - computeUsageCost(price, usage, createdAt).nanoUsd
  );
}
