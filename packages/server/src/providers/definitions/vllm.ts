import { chatProviderDefaults, type ProviderDefinition } from '../provider-definition.ts';

/**
 * The provider definition of vLLM. vLLM is self-hosted. The base URL must be configured, including
 * `/v1`.
 */
export const vllm: ProviderDefinition = {
  ...chatProviderDefaults,
  kind: 'vllm',
  name: 'vLLM',
  keyVariables: ['VLLM_API_KEY'],
  urlVariables: ['VLLM_BASE_URL'],
  dialectPaths: { chat: '/chat/completions', responses: '/responses', messages: '/messages' },
  streamUsage: 'ask',
  quirks: [
    // Many chat templates accept only a single system message at the start.
    { options: { reasoningStyle: 'none', messages: ['one-system-first'], hints: ['seed'] } },
    {
      models: ['*gpt-oss*'],
      options: { reasoningStyle: 'effort', efforts: ['high', 'medium', 'low'], replay: 'reasoning' },
    },
  ],
  opaqueApis: ['completions', 'audio', 'rerank'],
  embeddings: { dialect: 'openai' },
  docs: 'https://docs.vllm.ai',
  checked: '2026-11-21',
};
