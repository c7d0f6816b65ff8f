import { readNumber } from '@floe/wire/splice';
import type { Estimate } from '../guardrails/counted-request.ts';
import { DEFAULT_OUTPUT_TOKENS, inputTokensAtMost } from '../guardrails/estimate.ts';
import { knowsTier, type MostUsage, type Price, worstNanoUsd } from '../providers/prices.ts';
import type { Ask } from './ask.ts';
import type { Course } from './catalog.ts';
import type { Gateway } from './gateway.ts';
import { requestedTier } from './requested-tier.ts';

const NO_MODELS: readonly string[] = [];

/** Under an alias, the ids behind it count too: a limit on a model holds by whatever name it is asked. */
export function modelsOf(ask: Ask | null, course: Course | null): readonly string[] {
  if (ask === null) return NO_MODELS;
  const targets = course?.targets ?? [];
  return [ask.model, ...targets.map(({ provider, model }) => `${provider.id}/${model}`)];
}

/**
 * The dearest target counts, and the longest answer: which one will answer is not known yet. Without a cap of the
 * request an answer is taken to be as long as recent ones of the model were, else 4,096 tokens, and never longer than
 * the model allows.
 */
export function estimateOf(
  ask: Ask,
  course: Course,
  { orgId, atMs }: { readonly orgId: string; readonly atMs: number },
  { outputMost, outputLengths }: Pick<Gateway, 'outputMost' | 'outputLengths'>,
): Estimate {
  const input = inputTokensAtMost(ask.body);
  const cap = outputCapOf(ask);
  const tier = requestedTier(ask);
  const writesForAnHour = ask.body.includes(AN_HOUR);
  let longest = 0;
  let nanoUsd: number | null = 0;
  let unpriced: Estimate['unpriced'] = null;
  for (const target of course.targets) {
    const { provider, model } = target;
    const expected = outputLengths.expected(orgId, provider.id, model) ?? DEFAULT_OUTPUT_TOKENS;
    const most = outputMost(provider, model) ?? Number.POSITIVE_INFINITY;
    const output = (cap ?? Math.min(expected, most)) * ask.choices;
    longest = Math.max(longest, output);
    const cost = worstOf(provider.priceOf(model), { input, output, tier, writesForAnHour }, atMs);
    if (cost === null) {
      nanoUsd = null;
      unpriced ??= { provider: provider.id, model, ...(tier && provider.priceOf(model) && { tier }) };
    } else if (nanoUsd !== null) nanoUsd = Math.max(nanoUsd, cost);
  }
  return { tokens: input + longest, nanoUsd, unpriced };
}

const AN_HOUR = Buffer.from('"1h"');

/** A tier nobody knows the price of has none; `flex` and `batch` cost no more than the standard one. */
function worstOf(price: Price | null, most: MostUsage, atMs: number): number | null {
  if (price === null) return null;
  if (price.source === 'free' || price.source === 'seat') return 0;
  const isBounded = knowsTier(price, most.tier) || most.tier === 'flex' || most.tier === 'batch';
  return isBounded ? worstNanoUsd(price, most, atMs) : null;
}

const OUTPUT_CAPS = ['max_tokens', 'max_completion_tokens', 'max_output_tokens'];

/** Tokens that the request allows one answer to have; null when it does not say. */
export function outputCapOf({ body, members }: Ask): number | null {
  for (const name of OUTPUT_CAPS) {
    const span = members.get(name);
    const cap = span && readNumber(body, span);
    if (cap !== undefined && cap > 0) return Math.ceil(cap);
  }
  return null;
}
