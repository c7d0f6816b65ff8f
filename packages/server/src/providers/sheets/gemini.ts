import type { ErrorRule, ProviderSheet, Quirk } from '../provider.ts';

/** The Gemini families wherever they are reached. */
export const geminiQuirks: readonly Quirk[] = [
  {
    options: {
      think: 'level',
      efforts: ['high', 'medium', 'low', 'minimal', 'none'],
      refuses: ['presencePenalty', 'frequencyPenalty'],
      clamps: { temperature: { min: 0, max: 2 } },
      maxStops: 5,
    },
  },
  // 3 and later answer 400 to a call of earlier turns without its signature; this value is documented for those made elsewhere.
  {
    models: ['gemini-3*', 'gemini-*-latest'],
    options: { unsealedCall: 'skip_thought_signature_validator' },
  },
  {
    models: ['gemini-3*pro*', 'gemini-pro-latest', 'gemini-3.7-flash*'],
    options: { efforts: ['high', 'medium', 'low'] },
  },
  { models: ['gemini-2.5*'], options: { think: 'budget' } },
  { models: ['gemini-2.0*', 'gemini-1*', 'gemma-*'], options: { think: 'none' } },
  { models: ['gemini-2.0*', 'gemini-1*'], options: { refuses: [] } },
];

export const geminiErrors: readonly ErrorRule[] = [
  { status: 400, text: 'api_key_invalid', means: 'bad_credentials' },
];

export const gemini: ProviderSheet = {
  kind: 'gemini',
  name: 'Google Gemini',
  baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
  keyVariables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'],
  auth: { type: 'header', name: 'x-goog-api-key' },
  speaks: {
    gemini: {
      whole: '/models/{model}:generateContent',
      stream: '/models/{model}:streamGenerateContent?alt=sse',
    },
  },
  models: '/models?pageSize=1000',
  usage: 'given',
  quirks: geminiQuirks,
  errors: geminiErrors,
  embeddings: { speaks: 'gemini', path: '/models/{model}:batchEmbedContents' },
  prices: 'google',
  docs: 'https://ai.google.dev/api',
  checked: '2026-11-21',
};
