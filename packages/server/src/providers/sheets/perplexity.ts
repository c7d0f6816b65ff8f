import type { ProviderSheet } from '../provider-sheet.ts';

/** Its Chat API ended on 2026-09-27; what is left speaks Responses. */
export const perplexity: ProviderSheet = {
  kind: 'perplexity',
  name: 'Perplexity',
  baseUrl: 'https://api.perplexity.ai/v1',
  keyVariables: ['PERPLEXITY_API_KEY'],
  auth: { type: 'bearer' },
  dialectPaths: { responses: '/responses' },
  modelListPaths: '/models',
  streamUsage: 'given',
  // Whether it takes encrypted reasoning is not documented: none is asked for, none sent back.
  quirks: [{ options: { reasoningStyle: 'effort', sealOrigin: false } }],
  priceBookName: 'perplexity',
  docs: 'https://docs.perplexity.ai',
  checked: '2026-11-21',
};
