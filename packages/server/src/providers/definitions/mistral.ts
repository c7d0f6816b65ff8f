import { computeStableHash } from '@floe/wire/tool-identifiers';
import { chatProviderDefaults, type ProviderDefinition } from '../provider-definition.ts';

/** The provider definition of Mistral AI. */
export const mistral: ProviderDefinition = {
  ...chatProviderDefaults,
  kind: 'mistral',
  name: 'Mistral AI',
  baseUrl: 'https://api.mistral.ai/v1',
  keyVariables: ['MISTRAL_API_KEY'],
  streamUsage: 'forbidden',
  quirks: [
    {
      options: {
        reasoningStyle: 'none',
        renames: { seed: 'random_seed' },
        // Unknown members are rejected with 422.
        rejectedFields: ['top_k'],
        clamps: { temperature: { min: 0, max: 1 } },
        hints: ['seed', 'cache-key'],
        messages: ['no-user-after-tool'],
        // `none` together with tools produces invalid text.
        tools: ['none-drops-tools'],
        formatCallId: toNineCharacters,
      },
    },
    {
      models: ['mistral-small-latest', 'mistral-small-2603', 'mistral-medium-3*'],
      options: { reasoningStyle: 'effort', efforts: ['high', 'none'] },
    },
  ],
  opaqueApis: ['audio', 'moderations', 'files'],
  embeddings: {
    dialect: 'openai',
    unsupported: ['tokens', 'base64', 'user'],
    dimensions: 'output_dimension',
  },
  priceCatalogName: 'mistral',
  docs: 'https://docs.mistral.ai',
  checked: '2026-11-21',
};

/** Returns a call id that matches `^[A-Za-z0-9]{9}$`, as Mistral requires. */
function toNineCharacters(id: string): string {
  return /^[A-Za-z0-9]{9}$/.test(id) ? id : computeStableHash(id).slice(-9);
}
