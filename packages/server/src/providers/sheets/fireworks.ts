import { compatible, type ProviderSheet } from '../provider.ts';

export const fireworks: ProviderSheet = {
  ...compatible,
  kind: 'fireworks',
  name: 'Fireworks AI',
  baseUrl: 'https://api.fireworks.ai/inference/v1',
  keyVariables: ['FIREWORKS_API_KEY', 'FIREWORKS_AI_API_KEY'],
  speaks: { chat: '/chat/completions', messages: '/messages' },
  usage: 'given',
  quirks: [
    { options: { think: 'none', replay: 'reasoning_content', hints: ['cache-key'] } },
    {
      models: ['*gpt-oss*', '*deepseek-*', '*qwen3*', '*glm-*', '*kimi-k*', '*minimax-m*'],
      options: { think: 'effort', efforts: ['high', 'medium', 'low'] },
    },
  ],
  thinkTags: ['*deepseek-r1*'],
  offers: ['rerank'],
  embeddings: { speaks: 'openai', lacks: ['tokens', 'base64', 'user'] },
  prices: 'fireworks',
  docs: 'https://docs.fireworks.ai',
  checked: '2026-11-21',
};
