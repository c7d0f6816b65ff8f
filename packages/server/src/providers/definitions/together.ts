import { chatProviderDefaults, type ProviderDefinition } from '../provider-definition.ts';

/** The provider definition of Together AI. */
export const together: ProviderDefinition = {
  ...chatProviderDefaults,
  kind: 'together',
  name: 'Together AI',
  baseUrl: 'https://api.together.ai/v1',
  keyVariables: ['TOGETHER_API_KEY', 'TOGETHER_AI_API_KEY', 'TOGETHERAI_API_KEY'],
  dialectPaths: { chat: '/chat/completions', responses: '/responses', messages: '/messages' },
  streamUsage: 'given',
  quirks: [
    { options: { reasoningStyle: 'none', tools: ['none-drops-tools', 'required-is-auto'] } },
    {
      models: ['*gpt-oss*'],
      options: { reasoningStyle: 'effort', efforts: ['high', 'medium', 'low'] },
    },
  ],
  thinkTags: ['*DeepSeek-R1*'],
  // A prompt that exceeds the context is rejected with 403 (documented error codes), which does not mean an
  // invalid key.
  errors: [{ status: 403, text: 'context length', means: 'request' }],
  opaqueApis: ['completions', 'images', 'audio', 'rerank', 'files', 'batches'],
  embeddings: { dialect: 'openai', unsupported: ['tokens', 'base64', 'dimensions', 'user'] },
  priceCatalogName: 'together',
  docs: 'https://docs.together.ai',
  checked: '2026-11-21',
};
