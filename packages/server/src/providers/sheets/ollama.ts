import { compatible, type ProviderSheet } from '../provider.ts';

/** Local by default and without a key; the cloud host takes a bearer key. */
export const ollama: ProviderSheet = {
  ...compatible,
  kind: 'ollama',
  name: 'Ollama',
  baseUrl: 'http://127.0.0.1:11434/v1',
  keyVariables: ['OLLAMA_API_KEY'],
  urlVariables: ['OLLAMA_BASE_URL'],
  speaks: { chat: '/chat/completions', responses: '/responses', messages: '/messages' },
  usage: 'ask',
  quirks: [
    { options: { think: 'none', replay: 'reasoning', hints: ['seed'] } },
    {
      models: ['deepseek-r1*', 'deepseek-v3*', 'qwen3*', 'magistral*'],
      options: { think: 'effort', efforts: ['max', 'high', 'medium', 'low', 'none'] },
    },
    { models: ['gpt-oss*'], options: { think: 'effort', efforts: ['high', 'medium', 'low'] } },
  ],
  offers: ['images'],
  embeddings: { speaks: 'openai', lacks: ['tokens', 'base64', 'user'] },
  docs: 'https://docs.ollama.com/openai',
  checked: '2026-11-21',
};
