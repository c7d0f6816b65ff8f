import { chatProviderDefaults, type ProviderDefinition } from '../provider-definition.ts';

/** The provider definition of Moonshot AI (Kimi). */
export const moonshot: ProviderDefinition = {
  ...chatProviderDefaults,
  kind: 'moonshot',
  name: 'Moonshot AI',
  baseUrl: 'https://api.moonshot.ai/v1',
  keyVariables: ['MOONSHOT_API_KEY', 'MOONSHOTAI_API_KEY', 'KIMI_API_KEY'],
  streamUsage: 'ask',
  quirks: [
    {
      options: {
        renames: { max_tokens: 'max_completion_tokens' },
        rejectedFields: ['top_k'],
        clamps: { temperature: { min: 0, max: 1 } },
        maxStopSequences: 5,
        hints: ['cache-key'],
        tools: ['no-strict', 'required-is-auto'],
        replay: 'reasoning_content',
        reasoningStyle: 'none',
      },
    },
    // Sampling is fixed. Any other value than the default is rejected with 400.
    {
      models: ['kimi-*'],
      options: { rejectedFields: ['temperature', 'top_p', 'top_k', 'presence_penalty', 'frequency_penalty'] },
    },
    { models: ['kimi-k2.5*', 'kimi-k2.6*'], options: { reasoningStyle: 'switch' } },
    // Reasoning cannot be disabled. An effort between two values is rounded up.
    {
      models: ['kimi-k3', 'kimi-k3-*'],
      options: { reasoningStyle: 'effort', efforts: ['max', 'high', 'low'] },
    },
  ],
  opaqueApis: ['files', 'batches'],
  priceCatalogName: 'moonshotai',
  docs: 'https://platform.moonshot.ai/docs',
  checked: '2026-11-21',
};
