import { compatible, type ProviderSheet } from '../provider.ts';
import { openaiPrefers, openaiQuirks } from './openai-models.ts';

export const openai: ProviderSheet = {
  ...compatible,
  kind: 'openai',
  name: 'OpenAI',
  baseUrl: 'https://api.openai.com/v1',
  keyVariables: ['OPENAI_API_KEY'],
  urlVariables: ['OPENAI_BASE_URL'],
  speaks: { chat: '/chat/completions', responses: '/responses' },
  prefers: openaiPrefers,
  usage: 'ask',
  quirks: openaiQuirks,
  native: 'a',
  offers: ['images', 'audio', 'moderations', 'files', 'batches'],
  embeddings: { speaks: 'openai' },
  keepsResponses: true,
  prices: 'openai',
  docs: 'https://platform.openai.com/docs/api-reference',
  checked: '2026-11-21',
};
