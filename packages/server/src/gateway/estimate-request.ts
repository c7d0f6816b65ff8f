import { readNumber } from '@floe/wire/splice';
import { DEFAULT_OUTPUT_TOKENS, inputTokensAtMost } from '../guardrails/estimate.ts';
import type { Estimate } from '../guardrails/guard.ts';
import { worstNanoUsd } from '../providers/prices.ts';
import type { Ask } from './ask.ts';
import type { Course, Target } from './catalog.ts';

const NO_MODELS: readonly string[] = [];

/** Under an alias, the ids behind it count too: a limit on a model holds by whatever name it is asked. */
export function modelsOf(ask: Ask | null, course: Course | null): readonly string[] {
  if (ask === null) return NO_MODELS;
  const targets = course?.targets ?? [];
  return [ask.model, ...targets.map(({ provider, model }) => `${provider.id}/${model}`)];
}

/** The dearest target counts: which one will answer is not known yet. */
export function estimateOf(ask: Ask, course: Course, atMs: number): Estimate {
  const input = inputTokensAtMost(ask.body);
  const output = outputCapOf(ask) * ask.choices;
  let nanoUsd: number | null = 0;
  let priceLine = '';
  for (const target of course.targets) {
    const price = target.provider.priceOf(target.model);
    if (price === null) {
      nanoUsd = null;
      priceLine ||= lineFor(target);
    } else if (nanoUsd !== null) nanoUsd = Math.max(nanoUsd, worstNanoUsd(price, input, output, atMs));
  }
  return { tokens: input + output, nanoUsd, priceLine };
}

function lineFor({ provider, model }: Target): string {
  return `Add to the provider "${provider.id}" in floe.yaml: prices: { ${JSON.stringify(model)}: { input: <USD per million tokens>, output: <USD per million tokens> } }, or billing: free.`;
}

const OUTPUT_CAPS = ['max_tokens', 'max_completion_tokens', 'max_output_tokens'];

function outputCapOf({ body, members }: Ask): number {
  for (const name of OUTPUT_CAPS) {
    const span = members.get(name);
    const cap = span && readNumber(body, span);
    if (cap !== undefined && cap > 0) return Math.ceil(cap);
  }
  return DEFAULT_OUTPUT_TOKENS;
}
