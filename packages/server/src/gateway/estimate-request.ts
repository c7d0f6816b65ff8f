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

/** The dearest target counts, and the longest answer: which one will answer is not known yet. */
export function estimateOf(
  ask: Ask,
  course: Course,
  atMs: number,
  { outputMost }: Pick<Gateway, 'outputMost'>,
): Estimate {
  const input = inputTokensAtMost(ask.body);
  const cap = outputCapOf(ask);
  let most = 0;
  let nanoUsd: number | null = 0;
  let unpriced: Estimate['unpriced'] = null;
  for (const target of course.targets) {
    const { provider, model } = target;
    const output = (cap ?? outputMost(provider, model) ?? DEFAULT_OUTPUT_TOKENS) * ask.choices;
    most = Math.max(most, output);
    const price = provider.priceOf(model);
    if (price === null) {
      nanoUsd = null;
      unpriced ??= { provider: provider.id, model };
    } else if (nanoUsd !== null) nanoUsd = Math.max(nanoUsd, worstNanoUsd(price, input, output, atMs));
  }
  return { tokens: input + most, nanoUsd, unpriced };
}

const OUTPUT_CAPS = ['max_tokens', 'max_completion_tokens', 'max_output_tokens'];

function outputCapOf({ body, members }: Ask): number | null {
  for (const name of OUTPUT_CAPS) {
    const span = members.get(name);
    const cap = span && readNumber(body, span);
    if (cap !== undefined && cap > 0) return Math.ceil(cap);
  }
  return null;
}
