import { compatible, type ProviderSheet } from '../provider.ts';

export const openrouter: ProviderSheet = {
  ...compatible,
  kind: 'openrouter',
  name: 'OpenRouter',
  baseUrl: 'https://openrouter.ai/api/v1',
  keyVariables: ['OPENROUTER_API_KEY'],
  speaks: { chat: '/chat/completions', responses: '/responses', messages: '/messages' },
  usage: 'given',
  quirks: [
    {
      options: {
        think: 'reasoning-object',
        efforts: ['xhigh', 'high', 'medium', 'low', 'minimal', 'none'],
        replay: 'reasoning_details',
        hints: ['seed', 'verbosity', 'cache-mark'],
      },
    },
  ],
  // Moderation and guardrails judge the request, not the credential.
  errors: [
    { status: 403, text: 'moderation', means: 'request' },
    { status: 403, text: 'guardrail', means: 'request' },
  ],
  offers: ['images', 'audio', 'rerank'],
  embeddings: { speaks: 'openai' },
  prices: 'openrouter',
  docs: 'https://openrouter.ai/docs',
  checked: '2026-11-21',
};
