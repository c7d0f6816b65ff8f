import type { MaxTokensAndCost } from '../guardrails/request-attributes.ts';
import { addCosts, computeUsageCost } from '../providers/prices.ts';
import { estimateRequestCost } from './estimate-request.ts';
import type { Exchange } from './exchange-record.ts';
import type { ResolvedRoute, Target } from './org-catalog.ts';
import { estimateRequestUnits } from './request-units.ts';

const NO_COST: MaxTokensAndCost = { tokens: 0, nanoUsd: 0, unpriced: null };

/**
 * Estimates the maximum tokens and the maximum cost of an exchange. The billing mode of its surface
 * determines the calculation (`billing.ts`).
 */
export function estimateMaxTokensAndCost(x: Exchange, route: ResolvedRoute): MaxTokensAndCost {
  const {
    request: { prompt, turn },
    gateway,
  } = x;
  const asked = { orgId: x.caller.key.orgId, atMs: x.createdAt, turn };
  const { billing } = x.surface;
  switch (billing) {
    case 'free':
    case 'results':
      return NO_COST;
    case 'unknown':
      return estimateUnpriced(route);
    case 'free-unless-priced': {
      const targets = route.targets.filter(({ provider, model }) => provider.priceOf(model) !== null);
      if (targets.length === 0 || prompt === null) return NO_COST;
      return estimateRequestCost(prompt, { ...route, targets }, asked, gateway);
    }
    case 'tokens':
      return prompt === null ? estimateUnpriced(route) : estimateRequestCost(prompt, route, asked, gateway);
    case 'searches': {
      const text =
        prompt === null ? estimateUnpriced(route) : estimateRequestCost(prompt, route, asked, gateway);
      const { nanoUsd } = estimateUnitCost(x, route);
      return text.nanoUsd === null ? text : { ...text, nanoUsd: addCosts(text.nanoUsd, nanoUsd ?? 0) };
    }
    default:
      return estimateUnitCost(x, route);
  }
}

/** Returns no cost if the provider is free; otherwise, the cost is unknown. */
function estimateUnpriced({ targets }: ResolvedRoute): MaxTokensAndCost {
  const [paid] = targets.filter(({ provider, model }) => !isUnmetered(provider.priceOf(model)?.source));
  if (paid === undefined) return NO_COST;
  return { tokens: 0, nanoUsd: null, unpriced: { ...targetNames(paid), isOperation: true } };
}

/**
 * Estimates images, audio and searches in their own units, at the most expensive target. The cost is unknown
 * if a target has no price.
 */
function estimateUnitCost(x: Exchange, { targets }: ResolvedRoute): MaxTokensAndCost {
  let tokens = 0;
  let nanoUsd = 0;
  for (const target of targets) {
    const price = target.provider.priceOf(target.model);
    if (isUnmetered(price?.source)) continue;
    const usage =
      x.request.opaque &&
      price &&
      estimateRequestUnits(x.surface.billing, x.request.opaque, price, x.createdAt);
    const cost = usage && price ? computeUsageCost(price, usage, x.createdAt) : null;
    if (cost === null || cost.unpriced.length > 0)
      return { tokens, nanoUsd: null, unpriced: targetNames(target) };
    nanoUsd = Math.max(nanoUsd, cost.nanoUsd);
    tokens = Math.max(tokens, (usage?.units.input ?? 0) + (usage?.units.output ?? 0));
  }
  return { tokens, nanoUsd, unpriced: null };
}

function isUnmetered(source: string | undefined): boolean {
  return source === 'free' || source === 'seat';
}

function targetNames({ provider, model }: Target): { readonly provider: string; readonly model: string } {
  return { provider: provider.id, model };
}
