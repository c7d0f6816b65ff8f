import { chatProviderDefaults, type ProviderDefinition } from '../provider-definition.ts';
import { openaiDialectPreferences, openaiQuirks } from './openai-models.ts';

/** The provider definition of OpenAI. */
export const openai: ProviderDefinition = {
  ...chatProviderDefaults,
  kind: 'openai',
  name: 'OpenAI',
  baseUrl: 'https://api.openai.com/v1',
  keyVariables: ['OPENAI_API_KEY'],
  urlVariables: ['OPENAI_BASE_URL'],
  dialectPaths: { chat: '/chat/completions', responses: '/responses' },
  dialectPreferences: openaiDialectPreferences,
  streamUsage: 'ask',
  quirks: openaiQuirks,
  defaultSurface: 'a',
  opaqueApis: ['completions', 'images', 'audio', 'moderations', 'files', 'batches'],
  embeddings: { dialect: 'openai' },
  storesResponses: true,
  countsTokens: true,
  priceCatalogName: 'openai',
  docs: 'https://platform.openai.com/docs/api-reference',
  checked: '2026-11-21',
};
