import { chatProviderDefaults, type ProviderDefinition } from '../provider-definition.ts';

/**
 * The provider definition of any provider that implements the Chat Completions dialect. The base URL must be
 * configured, including `/v1`.
 */
export const openaiCompatible: ProviderDefinition = {
  ...chatProviderDefaults,
  kind: 'openai-compatible',
  name: 'OpenAI-compatible',
  keyVariables: [],
  streamUsage: 'ask',
  // Only fields that every such host accepts.
  quirks: [{ options: { reasoningStyle: 'none', rejectedFields: ['top_k'] } }],
  opaqueApis: ['completions', 'images', 'audio', 'moderations', 'rerank', 'files', 'batches'],
  embeddings: { dialect: 'openai' },
  docs: 'https://platform.openai.com/docs/api-reference/chat',
  checked: '2026-11-21',
};
