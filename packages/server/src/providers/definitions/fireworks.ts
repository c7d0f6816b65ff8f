import { chatProviderDefaults, type ProviderDefinition } from '../provider-definition.ts';

/** The provider definition of Fireworks AI. */
export const fireworks: ProviderDefinition = {
  ...chatProviderDefaults,
  kind: 'fireworks',
  name: 'Fireworks AI',
  baseUrl: 'https://api.fireworks.ai/inference/v1',
  keyVariables: ['FIREWORKS_API_KEY', 'FIREWORKS_AI_API_KEY'],
  dialectPaths: { chat: '/chat/completions', messages: '/messages' },
  streamUsage: 'given',
  quirks: [
    { options: { reasoningStyle: 'none', replay: 'reasoning_content', hints: ['cache-key'] } },
    {
      models: ['*gpt-oss*', '*deepseek-*', '*qwen3*', '*glm-*', '*kimi-k*', '*minimax-m*'],
      options: { reasoningStyle: 'effort', efforts: ['high', 'medium', 'low'] },
    },
  ],
  thinkTags: ['*deepseek-r1*'],
  opaqueApis: ['completions', 'rerank'],
  embeddings: { dialect: 'openai', unsupported: ['tokens', 'base64', 'user'] },
  priceCatalogName: 'fireworks',
  docs: 'https://docs.fireworks.ai',
  checked: '2026-11-21',
};
