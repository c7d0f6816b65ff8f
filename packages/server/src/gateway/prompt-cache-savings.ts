import { computeUsageCost } from '../providers/prices.ts';
import type { Exchange } from './exchange-record.ts';

/**
 * Returns how much the provider's prompt cache saved, in nano-USD: the cost that the input would
 * have had without the cache, minus its actual cost. Negative if cache writes cost more than cache
 * reads saved. Null if nothing was cached or the price is unknown.
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
