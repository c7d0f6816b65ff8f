import type { ProviderDefinition } from '../provider-definition.ts';

/**
 * The provider definition of Perplexity. Perplexity shut down its Chat Completions API on 2026-09-27, so only
 * Responses is supported.
 */
export const perplexity: ProviderDefinition = {
  kind: 'perplexity',
  name: 'Perplexity',
  baseUrl: 'https://api.perplexity.ai/v1',
  keyVariables: ['PERPLEXITY_API_KEY'],
  auth: { type: 'bearer' },
  dialectPaths: { responses: '/responses' },
  modelListPaths: '/models',
  streamUsage: 'given',
  // Support for encrypted reasoning is not documented, so it is neither requested nor returned.
  quirks: [{ options: { reasoningStyle: 'effort', sealOrigin: false } }],
  priceCatalogName: 'perplexity',
  docs: 'https://docs.perplexity.ai',
  checked: '2026-11-21',
};
