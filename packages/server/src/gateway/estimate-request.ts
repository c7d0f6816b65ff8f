import { hasBytesAt, visitBytePositions } from '../core/visit-byte-positions.ts';
import type { MaxTokensAndCost } from '../guardrails/request-attributes.ts';
import { findRequestedMaxOutputTokens } from '../guardrails/requested-max-output-tokens.ts';
import { DEFAULT_OUTPUT_TOKENS, estimateMaxInputTokens } from '../guardrails/token-estimate.ts';
import {
  computeMaxCostNanoUsd,
  hasServiceTierPrice,
  type Price,
  type UsageUpperBound,
} from '../providers/prices.ts';
import type { ClientRequest } from './client-request.ts';
import type { ParsedRequest } from './exchange-record.ts';
import type { ResolvedRoute } from './org-catalog.ts';
import { findRequestedServiceTier } from './requested-service-tier.ts';
import type { SharedGatewayDependencies } from './shared-gateway-dependencies.ts';

/**
 * Returns the ids of all models that a request names: the requested model, its fallbacks, and the models of a
 * batch. Also returns the model ids of the targets, so that a limit on a model also applies to requests that name
 * an alias. For each fallback and each model of a batch, also returns its id at the provider of each target.
 */
export function listRequestedModels(
  { prompt, opaque, nestedModels }: Pick<ParsedRequest, 'prompt' | 'opaque' | 'nestedModels'>,
  route: ResolvedRoute | null,
): readonly string[] {
  const requested = prompt?.model ?? opaque?.model ?? null;
  const referenced = opaque?.references.models ?? nestedModels;
  if (referenced.length === 0) return requested === null ? [] : listModelAndTargets(requested, route);
  const models = new Set(requested === null ? referenced : [requested, ...referenced]);
  const providers = new Set<string>();
  for (const { provider, model } of route?.targets ?? []) {
    if (requested !== null) models.add(`${provider.id}/${model}`);
    providers.add(provider.id);
  }
  for (const provider of providers) for (const name of referenced) models.add(`${provider}/${name}`);
  return [...models];
}

/**
 * Returns the requested model and the models of its targets, without duplicates. They are few, so an array is
 * sufficient.
 */
function listModelAndTargets(requested: string, route: ResolvedRoute | null): readonly string[] {
  const models = [requested];
  for (const { provider, model } of route?.targets ?? []) {
    const id = `${provider.id}/${model}`;
    if (!models.includes(id)) models.push(id);
  }
  return models;
}

/** The organization and time of a request, and its stored turn if it has one. */
interface EstimateContext {
  readonly orgId: string;
  readonly atMs: number;
  readonly turn?: ParsedRequest['turn'];
}

/**
 * Estimates a request's maximum cost: the most expensive target with the longest response. If the
 * request sets no output maximum, the response is assumed to be as long as the model's recent
 * responses, or 4,096 tokens if there are none, but never longer than the model permits.
 */
export function estimateRequestCost(
  prompt: ClientRequest,
  route: ResolvedRoute,
  { orgId, atMs, turn }: EstimateContext,
  { maxOutputTokens, outputLengths }: Pick<SharedGatewayDependencies, 'maxOutputTokens' | 'outputLengths'>,
): MaxTokensAndCost {
  const input = estimateMaxInputTokens(prompt.body, turn?.resolvedInput);
  const cap = findRequestedMaxOutputTokens(prompt);
  const tier = findRequestedServiceTier(prompt);
  let hour: boolean | undefined;
  const mayWriteHourCache = () => (hour ??= requestsHourCache(prompt.body));
  let longest = 0;
  let nanoUsd: number | null = 0;
  let unpriced: MaxTokensAndCost['unpriced'] = null;
  for (const target of route.targets) {
    const { provider, model } = target;
    const expected = outputLengths.percentile(orgId, provider.id, model) ?? DEFAULT_OUTPUT_TOKENS;
    const most = maxOutputTokens(provider, model) ?? Number.POSITIVE_INFINITY;
    const output = Math.min((cap ?? Math.min(expected, most)) * prompt.choices, Number.MAX_SAFE_INTEGER);
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
  const isBounded = hasServiceTierPrice(price, most.tier) || most.tier === 'flex' || most.tier === 'batch';
  return isBounded ? computeMaxCostNanoUsd(price, most, atMs) : null;
}
