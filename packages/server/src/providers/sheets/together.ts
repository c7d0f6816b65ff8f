import { compatible, type ProviderSheet } from '../provider.ts';

export const together: ProviderSheet = {
  ...compatible,
  kind: 'together',
  name: 'Together AI',
  baseUrl: 'https://api.together.ai/v1',
  keyVariables: ['TOGETHER_API_KEY', 'TOGETHER_AI_API_KEY', 'TOGETHERAI_API_KEY'],
  speaks: { chat: '/chat/completions', responses: '/responses', messages: '/messages' },
  usage: 'given',
  quirks: [
    { options: { think: 'none', tools: ['none-drops-tools', 'required-is-auto'] } },
    {
      models: ['*gpt-oss*'],
      options: { think: 'effort', efforts: ['high', 'medium', 'low'] },
    },
  ],
  thinkTags: ['*DeepSeek-R1*'],
  // A prompt longer than the model's context is a 403 here (documented error codes), not a bad key.
  errors: [{ status: 403, text: 'context length', means: 'request' }],
  offers: ['images', 'audio', 'rerank', 'files', 'batches'],
  embeddings: { speaks: 'openai', lacks: ['tokens', 'base64', 'dimensions', 'user'] },
  prices: 'together',
  docs: 'https://docs.together.ai',
  checked: '2026-11-21',
};
