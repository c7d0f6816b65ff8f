import type { Estimate } from '../guardrails/counted-request.ts';
import { costOf } from '../providers/prices.ts';
import type { Course, Target } from './catalog.ts';
import { estimateOf } from './estimate-request.ts';
import type { Exchange } from './exchange-record.ts';
import { unitsUsage } from './request-units.ts';

const FREE: Estimate = { tokens: 0, nanoUsd: 0, unpriced: null };

/** What an exchange may come to at most, by how its operation is billed (`billing.ts`). */
export function estimateExchange(x: Exchange, course: Course): Estimate {
  const {
    request: { ask },
    gateway,
  } = x;
  const asked = { orgId: x.caller.key.orgId, atMs: x.createdAt };
  const { billing } = x.surface;
  switch (billing) {
    case 'free':
    case 'results':
      return FREE;
    case 'unknown':
      return unpriceable(course);
    case 'free-unless-priced': {
      const targets = course.targets.filter(({ provider, model }) => provider.priceOf(model) !== null);
      if (targets.length === 0 || ask === null) return FREE;
      return estimateOf(ask, { ...course, targets }, asked, gateway);
    }
    case 'tokens':
      return ask === null ? unpriceable(course) : estimateOf(ask, course, asked, gateway);
    case 'searches': {
      const text = ask === null ? unpriceable(course) : estimateOf(ask, course, asked, gateway);
      const { nanoUsd } = estimateUnits(x, course);
      return text.nanoUsd === null ? text : { ...text, nanoUsd: text.nanoUsd + (nanoUsd ?? 0) };
    }
    default:
      return estimateUnits(x, course);
  }
}

/** Free where its provider is, else nobody knows. */
function unpriceable({ targets }: Course): Estimate {
  const [paid] = targets.filter(({ provider, model }) => !isUnmetered(provider.priceOf(model)?.source));
  if (paid === undefined) return FREE;
  return { tokens: 0, nanoUsd: null, unpriced: { ...named(paid), isOperation: true } };
}

/** Pictures, sound and searches in their own units. The dearest target counts; one without a price leaves it open. */
function estimateUnits(x: Exchange, { targets }: Course): Estimate {
  let tokens = 0;
  let nanoUsd = 0;
  for (const target of targets) {
    const price = target.provider.priceOf(target.model);
    if (isUnmetered(price?.source)) continue;
    const usage =
      x.request.opaque && price && unitsUsage(x.surface.billing, x.request.opaque, price, x.createdAt);
    const cost = usage && price ? costOf(price, usage, x.createdAt) : null;
    if (cost === null || cost.unpriced.length > 0) return { tokens, nanoUsd: null, unpriced: named(target) };
    nanoUsd = Math.max(nanoUsd, cost.nanoUsd);
    tokens = Math.max(tokens, (usage?.units.input ?? 0) + (usage?.units.output ?? 0));
  }
  return { tokens, nanoUsd, unpriced: null };
}

function isUnmetered(source: string | undefined): boolean {
  return source === 'free' || source === 'seat';
}

function named({ provider, model }: Target): { readonly provider: string; readonly model: string } {
  return { provider: provider.id, model };
}
