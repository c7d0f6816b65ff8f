import type { ProviderDefinition } from '../provider-definition.ts';

/** The provider definition of Cohere. */
export const cohere: ProviderDefinition = {
  kind: 'cohere',
  name: 'Cohere',
  baseUrl: 'https://api.cohere.com',
  keyVariables: ['COHERE_API_KEY', 'CO_API_KEY'],
  auth: { type: 'bearer' },
  dialectPaths: { cohere: '/v2/chat' },
  modelListPaths: '/v1/models?page_size=1000&endpoint=chat',
  streamUsage: 'given',
  opaqueApis: ['rerank'],
  opaqueBasePath: '/v2',
  embeddings: { dialect: 'embed', path: '/v2/embed' },
  priceCatalogName: 'cohere',
  quirks: [
    { options: { reasoningStyle: 'none' } },
    { models: ['*reasoning*', 'command-a-plus*'], options: { reasoningStyle: 'budget' } },
  ],
  errors: [
    { status: 498, text: '', means: 'bad_credentials' },
    { status: 499, text: '', means: 'overloaded' },
  ],
  docs: 'https://docs.cohere.com/v2/reference/chat',
  checked: '2026-11-21',
};
