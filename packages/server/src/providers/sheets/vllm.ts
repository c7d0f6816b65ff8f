import { compatible, type ProviderSheet } from '../provider.ts';

/** Self-hosted; the operator names the base address, `/v1` included. */
export const vllm: ProviderSheet = {
  ...compatible,
  kind: 'vllm',
  name: 'vLLM',
  keyVariables: ['VLLM_API_KEY'],
  urlVariables: ['VLLM_BASE_URL'],
  speaks: { chat: '/chat/completions', responses: '/responses', messages: '/messages' },
  usage: 'ask',
  quirks: [
    // Many chat templates accept one leading system message and no other.
    { options: { think: 'none', messages: ['one-system-first'], hints: ['seed'] } },
    {
      models: ['*gpt-oss*'],
      options: { think: 'effort', efforts: ['high', 'medium', 'low'], replay: 'reasoning' },
    },
  ],
  offers: ['audio', 'rerank'],
  embeddings: { speaks: 'openai' },
  docs: 'https://docs.vllm.ai',
  checked: '2026-11-21',
};
