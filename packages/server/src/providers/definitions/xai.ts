import { chatProviderDefaults, type ProviderDefinition } from '../provider-definition.ts';

/** The provider definition of xAI. */
export const xai: ProviderDefinition = {
  ...chatProviderDefaults,
  kind: 'xai',
  name: 'xAI',
  baseUrl: 'https://api.x.ai/v1',
  keyVariables: ['XAI_API_KEY'],
  // Chat and Messages are documented as legacy.
  dialectPaths: { responses: '/responses', chat: '/chat/completions', messages: '/messages' },
  streamUsage: 'given',
  quirks: [
    {
      options: {
        reasoningStyle: 'none',
        rejectedFields: ['presence_penalty', 'frequency_penalty', 'stop', 'top_k'],
        hints: ['cache-key'],
      },
    },
    { models: ['grok-3-mini*'], options: { reasoningStyle: 'effort', efforts: ['high', 'low'] } },
    {
      models: ['grok-4.3*'],
      options: { reasoningStyle: 'effort', efforts: ['high', 'medium', 'low', 'none'] },
    },
    { models: ['grok-4.5*'], options: { reasoningStyle: 'effort', efforts: ['high', 'medium', 'low'] } },
    {
      models: ['grok-4.6*'],
      options: { reasoningStyle: 'effort', efforts: ['xhigh', 'high', 'medium', 'low'] },
    },
  ],
  // An invalid key is rejected with 400 (recorded in 2026-08).
  errors: [{ status: 400, text: 'incorrect api key', means: 'bad_credentials' }],
  opaqueApis: ['images', 'files', 'batches'],
  storesResponses: true,
  priceCatalogName: 'x-ai',
  docs: 'https://docs.x.ai',
  checked: '2026-11-21',
};
