import { readNumber } from '@floe/wire/splice';
import { DEFAULT_OUTPUT_TOKENS, inputTokensAtMost } from '../guardrails/estimate.ts';
import type { Estimate } from '../guardrails/guard.ts';
import { worstNanoUsd } from '../providers/prices.ts';
import type { Ask } from './ask.ts';
import type { Course } from './catalog.ts';
import type { Gateway } from './gateway.ts';

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
  let longest = 0;
  let nanoUsd: number | null = 0;
  let unpriced: Estimate['unpriced'] = null;
  for (const target of course.targets) {
    const { provider, model } = target;
    const expected = outputLengths.expected(orgId, provider.id, model) ?? DEFAULT_OUTPUT_TOKENS;
    const most = outputMost(provider, model) ?? Number.POSITIVE_INFINITY;
    const output = (cap ?? Math.min(expected, most)) * ask.choices;
    longest = Math.max(longest, output);
    const price = provider.priceOf(model);
    if (price === null) {
      nanoUsd = null;
      unpriced ??= { provider: provider.id, model };
    } else if (nanoUsd !== null) nanoUsd = Math.max(nanoUsd, worstNanoUsd(price, input, output, atMs));
  }
  return { tokens: input + longest, nanoUsd, unpriced };
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
