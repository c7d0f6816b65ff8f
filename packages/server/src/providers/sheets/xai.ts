import { compatible, type ProviderSheet } from '../provider.ts';

export const xai: ProviderSheet = {
  ...compatible,
  kind: 'xai',
  name: 'xAI',
  baseUrl: 'https://api.x.ai/v1',
  keyVariables: ['XAI_API_KEY'],
  // Chat and Messages are documented as legacy.
  speaks: { responses: '/responses', chat: '/chat/completions', messages: '/messages' },
  usage: 'given',
  quirks: [
    {
      options: {
        think: 'none',
        refuses: ['presence_penalty', 'frequency_penalty', 'stop', 'top_k'],
        hints: ['cache-key'],
      },
    },
    { models: ['grok-3-mini*'], options: { think: 'effort', efforts: ['high', 'low'] } },
    { models: ['grok-4.3*'], options: { think: 'effort', efforts: ['high', 'medium', 'low', 'none'] } },
    { models: ['grok-4.5*'], options: { think: 'effort', efforts: ['high', 'medium', 'low'] } },
    { models: ['grok-4.6*'], options: { think: 'effort', efforts: ['xhigh', 'high', 'medium', 'low'] } },
  ],
  // A wrong key is a 400 here, recorded 2026-08.
  errors: [{ status: 400, text: 'incorrect api key', means: 'bad_credentials' }],
  offers: ['images', 'files', 'batches'],
  keepsResponses: true,
  prices: 'x-ai',
  docs: 'https://docs.x.ai',
  checked: '2026-11-21',
};
