import { stableHash } from '@floe/wire/tool-names';
import { compatible, type ProviderSheet } from '../provider.ts';

export const mistral: ProviderSheet = {
  ...compatible,
  kind: 'mistral',
  name: 'Mistral AI',
  baseUrl: 'https://api.mistral.ai/v1',
  keyVariables: ['MISTRAL_API_KEY'],
  usage: 'forbidden',
  quirks: [
    {
      options: {
        think: 'none',
        renames: { seed: 'random_seed' },
        // Unknown members are a 422.
        refuses: ['top_k'],
        clamps: { temperature: { min: 0, max: 1 } },
        hints: ['seed', 'cache-key'],
        messages: ['no-user-after-tool'],
        // `none` beside tools gives garbled text.
        tools: ['none-drops-tools'],
        callId: nineCharacters,
      },
    },
    {
      models: ['mistral-small-latest', 'mistral-small-2603', 'mistral-medium-3*'],
      options: { think: 'effort', efforts: ['high', 'none'] },
    },
  ],
  offers: ['audio', 'moderations', 'files'],
  embeddings: { speaks: 'openai', lacks: ['tokens', 'base64', 'user'], dimensions: 'output_dimension' },
  prices: 'mistral',
  docs: 'https://docs.mistral.ai',
  checked: '2026-11-21',
};

/** Call ids must match `^[A-Za-z0-9]{9}$`. */
function nineCharacters(id: string): string {
  return /^[A-Za-z0-9]{9}$/.test(id) ? id : stableHash(id).slice(-9);
}
