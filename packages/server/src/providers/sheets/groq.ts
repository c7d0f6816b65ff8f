import { compatible, type ProviderSheet } from '../provider.ts';

export const groq: ProviderSheet = {
  ...compatible,
  kind: 'groq',
  name: 'Groq',
  baseUrl: 'https://api.groq.com/openai/v1',
  keyVariables: ['GROQ_API_KEY'],
  speaks: { chat: '/chat/completions', responses: '/responses' },
  usage: 'given',
  quirks: [
    { options: { think: 'none', refuses: ['top_k'], maxStops: 4, hints: ['seed'] } },
    {
      models: ['*gpt-oss*'],
      options: { think: 'effort', efforts: ['high', 'medium', 'low'], replay: 'reasoning' },
    },
  ],
  // 413 for a request larger than the tokens-per-minute quota; 498 when flex capacity is out.
  errors: [
    { status: 413, text: 'rate_limit_exceeded', means: 'rate' },
    { status: 498, text: '', means: 'overloaded' },
  ],
  offers: ['audio', 'files', 'batches'],
  prices: 'groq',
  docs: 'https://console.groq.com/docs',
  checked: '2026-11-21',
};
