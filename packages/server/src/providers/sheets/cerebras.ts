import { compatible, type ProviderSheet } from '../provider.ts';

export const cerebras: ProviderSheet = {
  ...compatible,
  kind: 'cerebras',
  name: 'Cerebras',
  baseUrl: 'https://api.cerebras.ai/v1',
  keyVariables: ['CEREBRAS_API_KEY'],
  quirks: [
    {
      options: {
        renames: { max_tokens: 'max_completion_tokens' },
        refuses: ['presence_penalty', 'frequency_penalty', 'parallel_tool_calls', 'top_k'],
        hints: ['cache-key'],
        think: 'none',
      },
    },
    {
      models: ['gpt-oss*'],
      options: { think: 'effort', efforts: ['high', 'medium', 'low'], replay: 'reasoning' },
    },
  ],
  thinkTags: ['*glm*'],
  prices: 'cerebras',
  docs: 'https://inference-docs.cerebras.ai',
  checked: '2026-11-21',
};
