import { chatProviderDefaults, type ProviderDefinition } from '../provider-definition.ts';

/** The provider definition of Groq. */
export const groq: ProviderDefinition = {
  ...chatProviderDefaults,
  kind: 'groq',
  name: 'Groq',
  baseUrl: 'https://api.groq.com/openai/v1',
  keyVariables: ['GROQ_API_KEY'],
  dialectPaths: { chat: '/chat/completions', responses: '/responses' },
  streamUsage: 'given',
  quirks: [
    { options: { reasoningStyle: 'none', rejectedFields: ['top_k'], maxStopSequences: 4, hints: ['seed'] } },
    {
      models: ['*gpt-oss*'],
      options: { reasoningStyle: 'effort', efforts: ['high', 'medium', 'low'], replay: 'reasoning' },
    },
  ],
  // 413 if a request exceeds the quota of tokens per minute; 498 if flex capacity is exhausted.
  errors: [
    { status: 413, text: 'rate_limit_exceeded', means: 'rate' },
    { status: 498, text: '', means: 'overloaded' },
  ],
  opaqueApis: ['audio', 'files', 'batches'],
  priceCatalogName: 'groq',
  docs: 'https://console.groq.com/docs',
  checked: '2026-11-21',
};
