import { chatProviderDefaults, type ProviderDefinition } from '../provider-definition.ts';

/** The provider definition of Cerebras. */
export const cerebras: ProviderDefinition = {
  ...chatProviderDefaults,
  kind: 'cerebras',
  name: 'Cerebras',
  baseUrl: 'https://api.cerebras.ai/v1',
  keyVariables: ['CEREBRAS_API_KEY'],
  quirks: [
    {
      options: {
        renames: { max_tokens: 'max_completion_tokens' },
        rejectedFields: ['presence_penalty', 'frequency_penalty', 'parallel_tool_calls', 'top_k'],
        hints: ['cache-key'],
        reasoningStyle: 'none',
      },
    },
    {
      models: ['gpt-oss*'],
      options: { reasoningStyle: 'effort', efforts: ['high', 'medium', 'low'], replay: 'reasoning' },
    },
  ],
  thinkTags: ['*glm*'],
  priceCatalogName: 'cerebras',
  docs: 'https://inference-docs.cerebras.ai',
  checked: '2026-11-21',
};
