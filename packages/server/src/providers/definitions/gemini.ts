import type { ErrorStatusOverride, ProviderDefinition, Quirk } from '../provider-definition.ts';

/** The quirks of Gemini models at any provider. */
export const geminiQuirks: readonly Quirk[] = [
  {
    options: {
      reasoningStyle: 'level',
      efforts: ['high', 'medium', 'low', 'minimal', 'none'],
      rejectedFields: ['presencePenalty', 'frequencyPenalty'],
      clamps: { temperature: { min: 0, max: 2 } },
      maxStopSequences: 5,
    },
  },
  // Version 3 and later reject a call of an earlier turn without a signature (400). This value is documented
  // for calls of other models.
  {
    models: ['gemini-3*', 'gemini-*-latest'],
    options: { unsealedCallProof: 'skip_thought_signature_validator' },
  },
  {
    models: ['gemini-3*pro*', 'gemini-pro-latest', 'gemini-3.7-flash*'],
    options: { efforts: ['high', 'medium', 'low'] },
  },
  { models: ['gemini-2.5*'], options: { reasoningStyle: 'budget' } },
  // https://ai.google.dev/gemini-api/docs/thinking#set-budget
  {
    models: ['gemini-2.5-pro*'],
    options: { thinkingBudgets: { min: 128, max: 32_768, required: true } },
  },
  { models: ['gemini-2.5-flash*'], options: { thinkingBudgets: { min: 1, max: 24_576 } } },
  { models: ['gemini-2.5-flash-lite*'], options: { thinkingBudgets: { min: 512, max: 24_576 } } },
  { models: ['gemini-2.0*', 'gemini-1*', 'gemma-*'], options: { reasoningStyle: 'none' } },
  { models: ['gemini-2.0*', 'gemini-1*'], options: { rejectedFields: [] } },
];

/** The error statuses that have a different meaning at Gemini than at other providers. */
export const geminiErrorStatusOverrides: readonly ErrorStatusOverride[] = [
  { status: 400, text: 'api_key_invalid', means: 'bad_credentials' },
];

/** The provider definition of Google Gemini. */
export const gemini: ProviderDefinition = {
  kind: 'gemini',
  name: 'Google Gemini',
  baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
  keyVariables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'],
  auth: { type: 'header', name: 'x-goog-api-key' },
  dialectPaths: {
    gemini: {
      nonStreaming: '/models/{model}:generateContent',
      streaming: '/models/{model}:streamGenerateContent?alt=sse',
    },
  },
  modelListPaths: '/models?pageSize=1000',
  streamUsage: 'given',
  quirks: geminiQuirks,
  errors: geminiErrorStatusOverrides,
  embeddings: { dialect: 'gemini', path: '/models/{model}:batchEmbedContents' },
  priceCatalogName: 'google',
  docs: 'https://ai.google.dev/api',
  checked: '2026-11-21',
};
