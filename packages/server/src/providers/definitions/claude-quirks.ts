import type { Quirk } from '../provider-definition.ts';

/**
 * The quirks of Claude models at any provider, newest model first. Unknown models are treated like the newest
 * model. No quirk sets `strict`, because strict tools accept only a subset of JSON Schema and Floe does not
 * convert schemas to that subset.
 */
export const claudeQuirks: readonly Quirk[] = [
  {
    models: ['*claude-*'],
    options: {
      reasoningStyle: 'adaptive',
      defaultMaxTokens: 128_000,
      clamps: { max_tokens: { max: 128_000 } },
      rejectedFields: ['temperature', 'top_p', 'top_k'],
      tools: ['no-strict'],
      cacheMinTokens: 1_024,
    },
  },
  // Shorter prompts are not cached, even with a breakpoint (Anthropic's page on prompt caching).
  {
    models: [
      '*claude-opus-4-5*',
      '*claude-opus-4-6*',
      '*claude-opus-4-7*',
      '*claude-haiku-4-5*',
      '*claude-mythos-*',
    ],
    options: { cacheMinTokens: 4_096 },
  },
  {
    models: ['*claude-sonnet-4-6*', '*claude-3-haiku*', '*claude-3-5-haiku*'],
    options: { cacheMinTokens: 2_048 },
  },
  // These models reject a forced tool choice and disabled thinking.
  {
    models: ['*claude-fable-*', '*claude-mythos-*', '*claude-opus-5-5*', '*claude-sonnet-5-5*'],
    options: {
      tools: ['no-strict', 'required-is-auto'],
      efforts: ['max', 'xhigh', 'high', 'medium', 'low', 'minimal'],
    },
  },
  // These models reject a forced tool choice together with thinking.
  {
    models: ['*claude-*-4-6*', '*claude-*-4-7*'],
    options: { tools: ['no-strict', 'forced-unthinking'] },
  },
  // 4.x rejects temperature together with top_p. The less specific one is omitted.
  {
    models: ['*claude-*-4-6*'],
    options: { efforts: ['high', 'max', 'medium', 'low', 'minimal', 'none'], rejectedFields: ['top_p'] },
  },
  // The budget is added to the default limit. The sum must be below the model's maximum.
  {
    models: ['*claude-*-4-5*', '*claude-sonnet-4-0*', '*claude-sonnet-4-2*', '*claude-3-7*'],
    options: {
      reasoningStyle: 'budget',
      defaultMaxTokens: 32_000,
      clamps: { max_tokens: { max: 64_000 } },
      rejectedFields: ['top_p'],
    },
  },
  {
    models: ['*claude-opus-4-0*', '*claude-opus-4-1*', '*claude-opus-4-2*'],
    options: {
      reasoningStyle: 'budget',
      defaultMaxTokens: 15_000,
      clamps: { max_tokens: { max: 32_000 } },
      rejectedFields: ['top_p'],
    },
  },
  {
    models: ['*claude-3-5*', '*claude-3-opus*', '*claude-3-sonnet*', '*claude-3-haiku*'],
    options: {
      reasoningStyle: 'none',
      defaultMaxTokens: 4_096,
      clamps: { max_tokens: { max: 8_192 } },
      rejectedFields: [],
    },
  },
];
