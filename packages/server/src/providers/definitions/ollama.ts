import { chatProviderDefaults, type ProviderDefinition } from '../provider-definition.ts';

/**
 * The provider definition of Ollama. The default is a local server without a key. The cloud service
 * requires a bearer key.
 */
export const ollama: ProviderDefinition = {
  ...chatProviderDefaults,
  kind: 'ollama',
  name: 'Ollama',
  baseUrl: 'http://127.0.0.1:11434/v1',
  keyVariables: ['OLLAMA_API_KEY'],
  urlVariables: ['OLLAMA_BASE_URL'],
  dialectPaths: { chat: '/chat/completions', responses: '/responses', messages: '/messages' },
  streamUsage: 'ask',
  quirks: [
    { options: { reasoningStyle: 'none', replay: 'reasoning', hints: ['seed'] } },
    {
      models: ['deepseek-r1*', 'deepseek-v3*', 'qwen3*', 'magistral*'],
      options: { reasoningStyle: 'effort', efforts: ['max', 'high', 'medium', 'low', 'none'] },
    },
    { models: ['gpt-oss*'], options: { reasoningStyle: 'effort', efforts: ['high', 'medium', 'low'] } },
  ],
  opaqueApis: ['completions', 'images'],
  embeddings: { dialect: 'openai', unsupported: ['tokens', 'base64', 'user'] },
  docs: 'https://docs.ollama.com/openai',
  checked: '2026-11-21',
};
