import { compatible, type ProviderSheet } from '../provider.ts';

/** Any host that copies the Chat dialect; the operator names the base address, `/v1` included. */
export const openaiCompatible: ProviderSheet = {
  ...compatible,
  kind: 'openai-compatible',
  name: 'OpenAI-compatible',
  keyVariables: [],
  usage: 'ask',
  // Only what every such host is known to take.
  quirks: [{ options: { think: 'none', refuses: ['top_k'] } }],
  offers: ['images', 'audio', 'moderations', 'rerank', 'files', 'batches'],
  embeddings: { speaks: 'openai' },
  docs: 'https://platform.openai.com/docs/api-reference/chat',
  checked: '2026-11-21',
};
