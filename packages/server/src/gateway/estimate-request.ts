import { hasBytesAt, visitBytePositions } from '../core/visit-byte-positions.ts';
import type { MaxTokensAndCost } from '../guardrails/request-attributes.ts';
import { findRequestedMaxOutputTokens } from '../guardrails/requested-max-output-tokens.ts';
import { DEFAULT_OUTPUT_TOKENS, estimateMaxInputTokens } from '../guardrails/token-estimate.ts';
import {
  computeMaxCostNanoUsd,
  hasTierPrice,
  type Price,
  type UsageUpperBound,
} from '../providers/prices.ts';
import type { ClientRequest } from './client-request.ts';
import type { ResolvedRoute } from './org-catalog.ts';
import { findRequestedTier } from './requested-tier.ts';
import type { SharedGatewayDependencies } from './shared-gateway-dependencies.ts';

const NO_MODELS: readonly string[] = [];

/**
 * Returns the requested model id. For an alias, also returns the model ids of its targets, so that
 * a limit on a model also applies to its aliases.
 */
export function listRequestedModels(
  prompt: ClientRequest | null,
  route: ResolvedRoute | null,
): readonly string[] {
  if (prompt === null) return NO_MODELS;
  const targets = route?.targets ?? [];
  return [prompt.model, ...targets.map(({ provider, model }) => `${provider.id}/${model}`)];
}

/**
 * Estimates a request's maximum cost: the most expensive target with the longest response. If the
 * request sets no output maximum, the response is assumed to be as long as the model's recent
 * responses, or 4,096 tokens if there are none, but never longer than the model permits.
 */
export function estimateRequestCost(
  prompt: ClientRequest,
  route: ResolvedRoute,
  { orgId, atMs }: { readonly orgId: string; readonly atMs: number },
  { maxOutputTokens, outputLengths }: Pick<SharedGatewayDependencies, 'maxOutputTokens' | 'outputLengths'>,
): MaxTokensAndCost {
  const input = estimateMaxInputTokens(prompt.body);
  const cap = findRequestedMaxOutputTokens(prompt);
  const tier = findRequestedTier(prompt);
  let hour: boolean | undefined;
  const mayWriteHourCache = () => (hour ??= requestsHourCache(prompt.body));
  let longest = 0;
  let nanoUsd: number | null = 0;
  let unpriced: MaxTokensAndCost['unpriced'] = null;
  for (const target of route.targets) {
    const { provider, model } = target;
    const expected = outputLengths.percentile(orgId, provider.id, model) ?? DEFAULT_OUTPUT_TOKENS;
    const most = maxOutputTokens(provider, model) ?? Number.POSITIVE_INFINITY;
    const output = (cap ?? Math.min(expected, most)) * prompt.choices;
    longest = Math.max(longest, output);
    const price = provider.priceOf(model);
    const cost = maxCostNanoUsd(price, { input, output, tier, mayWriteHourCache }, atMs);
    if (cost === null) {
      nanoUsd = null;
      unpriced ??= { provider: provider.id, model, ...(tier && price && { tier }) };
    } else if (nanoUsd !== null) nanoUsd = Math.max(nanoUsd, cost);
  }
  return { tokens: input + longest, nanoUsd, unpriced };
}

const AN_HOUR = Buffer.from('"1h"');

/** Returns whether a body may request a cache lifetime of one hour. */
function requestsHourCache(body: Buffer): boolean {
  let found = false;
  visitBytePositions(body, 0x31, (at) => {
    found ||= hasBytesAt(body, at - 1, AN_HOUR);
    return found ? body.length : at + 1;
  });
  return found;
}

/**
 * Returns the maximum cost at a price; null if the price of the tier is unknown. `flex` and `batch` cost at
 * most as much as the standard tier.
 */
function maxCostNanoUsd(price: Price | null, most: UsageUpperBound, atMs: number): number | null {
  if (price === null) return null;
  if (price.source === 'free' || price.source === 'seat') return 0;
  const isBounded = hasTierPrice(price, most.tier) || most.tier === 'flex' || most.tier === 'batch';
  return isBounded ? computeMaxCostNanoUsd(price, most, atMs) : null;
}
