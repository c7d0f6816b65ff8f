import { chatProviderDefaults, type ProviderDefinition, stripVersionSuffix } from '../provider-definition.ts';

/** The provider definition of DeepSeek. */
export const deepseek: ProviderDefinition = {
  ...chatProviderDefaults,
  kind: 'deepseek',
  name: 'DeepSeek',
  baseUrl: 'https://api.deepseek.com',
  keyVariables: ['DEEPSEEK_API_KEY'],
  dialectPaths: {
    chat: '/chat/completions',
    responses: '/responses',
    messages: '/anthropic/v1/messages',
  },
  // `/v1` is accepted as a prefix, but not before `/anthropic`.
  address: (base) => ({ base: stripVersionSuffix(base) }),
  streamUsage: 'given',
  quirks: [
    {
      options: {
        // Efforts are omitted, because they cannot be combined with this switch.
        reasoningStyle: 'switch',
        replay: 'reasoning_content',
        renames: { user: 'user_id' },
        rejectedFields: ['top_k'],
        maxStopSequences: 16,
        hints: ['user'],
        tools: ['no-strict', 'required-is-auto'],
      },
    },
  ],
  priceCatalogName: 'deepseek',
  docs: 'https://api-docs.deepseek.com',
  checked: '2026-11-21',
};
