import type { ProviderSheet } from '../provider.ts';

export const cohere: ProviderSheet = {
  kind: 'cohere',
  name: 'Cohere',
  baseUrl: 'https://api.cohere.com',
  keyVariables: ['COHERE_API_KEY', 'CO_API_KEY'],
  auth: { type: 'bearer' },
  speaks: { cohere: '/v2/chat' },
  models: '/v1/models?page_size=1000&endpoint=chat',
  usage: 'given',
  offers: ['rerank'],
  offersBelow: '/v2',
  embeddings: { speaks: 'embed', path: '/v2/embed' },
  prices: 'cohere',
  quirks: [
    { options: { think: 'none' } },
    { models: ['*reasoning*', 'command-a-plus*'], options: { think: 'budget' } },
  ],
  errors: [
    { status: 498, text: '', means: 'bad_credentials' },
    { status: 499, text: '', means: 'overloaded' },
  ],
  docs: 'https://docs.cohere.com/v2/reference/chat',
  checked: '2026-11-21',
};
