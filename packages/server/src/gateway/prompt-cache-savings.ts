import { computeUsageCost } from '../providers/prices.ts';
import { removeImplausibleCounts } from './charged-usage.ts';
import type { Exchange } from './exchange-record.ts';

/**
 * Returns how much the provider's prompt cache saved, in nano-USD: the cost that the input would
 * have had without the cache, minus its actual cost. Negative if cache writes cost more than cache
 * reads saved. Null if nothing was cached or the price is unknown.
 */
export function computePromptCacheSavings({ result, target, answer, createdAt }: Exchange): number | null {
  const usage = removeImplausibleCounts(answer.usage);
  if (result.state === 'cached' || target === null || usage === null) return null;
  const { cached, cache_write, cache_write_1h, cached_audio, cached_image, ...units } = usage.units;
  if (!cached && !cache_write) return null;
  const price = target.provider.priceOf(target.model);
  if (price === null) return null;
  const plain = { units, tier: usage.tier };
  return (
    computeUsageCost(price, plain, createdAt).nanoUsd - computeUsageCost(price, usage, createdAt).nanoUsd
  );
}
