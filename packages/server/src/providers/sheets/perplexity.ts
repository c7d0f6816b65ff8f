import type { ProviderSheet } from '../provider.ts';

/** Its Chat API ended on 2026-09-27; what is left speaks Responses. */
export const perplexity: ProviderSheet = {
  kind: 'perplexity',
  name: 'Perplexity',
  baseUrl: 'https://api.perplexity.ai/v1',
  keyVariables: ['PERPLEXITY_API_KEY'],
  auth: { type: 'bearer' },
  speaks: { responses: '/responses' },
  models: '/models',
  usage: 'given',
  // Whether it takes encrypted reasoning is not documented: none is asked for, none sent back.
  quirks: [{ options: { think: 'effort', sealOrigin: false } }],
  prices: 'perplexity',
  docs: 'https://docs.perplexity.ai',
  checked: '2026-11-21',
};
