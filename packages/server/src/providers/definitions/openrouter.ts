import { chatProviderDefaults, type ProviderDefinition } from '../provider-definition.ts';

/** The provider definition of OpenRouter. */
export const openrouter: ProviderDefinition = {
  ...chatProviderDefaults,
  kind: 'openrouter',
  name: 'OpenRouter',
  baseUrl: 'https://openrouter.ai/api/v1',
  keyVariables: ['OPENROUTER_API_KEY'],
  dialectPaths: { chat: '/chat/completions', responses: '/responses', messages: '/messages' },
  streamUsage: 'given',
  quirks: [
    {
      options: {
        reasoningStyle: 'reasoning-object',
        efforts: ['xhigh', 'high', 'medium', 'low', 'minimal', 'none'],
        replay: 'reasoning_details',
        hints: ['seed', 'verbosity', 'cache-mark'],
      },
    },
  ],
  // Moderation and guardrails reject the request, not the credential.
  errors: [
    { status: 403, text: 'moderation', means: 'request' },
    { status: 403, text: 'guardrail', means: 'request' },
  ],
  opaqueApis: ['completions', 'images', 'audio', 'rerank'],
  embeddings: { dialect: 'openai' },
  priceCatalogName: 'openrouter',
  docs: 'https://openrouter.ai/docs',
  checked: '2026-11-21',
};
