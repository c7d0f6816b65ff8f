import { compatible, type ProviderSheet, withoutVersion } from '../provider.ts';

export const deepseek: ProviderSheet = {
  ...compatible,
  kind: 'deepseek',
  name: 'DeepSeek',
  baseUrl: 'https://api.deepseek.com',
  keyVariables: ['DEEPSEEK_API_KEY'],
  speaks: {
    chat: '/chat/completions',
    responses: '/responses',
    messages: '/anthropic/v1/messages',
  },
  // The prefix `/v1` is accepted, but not before `/anthropic`.
  address: (base) => ({ base: withoutVersion(base) }),
  usage: 'given',
  quirks: [
    {
      options: {
        // Efforts go unsaid: beside this switch there is no way to write them.
        think: 'switch',
        replay: 'reasoning_content',
        renames: { user: 'user_id' },
        refuses: ['top_k'],
        maxStops: 16,
        hints: ['user'],
        tools: ['no-strict', 'required-is-auto'],
      },
    },
  ],
  prices: 'deepseek',
  docs: 'https://api-docs.deepseek.com',
  checked: '2026-11-21',
};
