import { compatible, type ProviderSheet } from '../provider.ts';

export const mistral: ProviderSheet = {
  ...compatible,
  kind: 'mistral',
  name: 'Mistral AI',
  baseUrl: 'https://api.mistral.ai/v1',
  keyVariables: ['MISTRAL_API_KEY'],
  usage: 'forbidden',
  docs: 'https://docs.mistral.ai',
  checked: '2026-11-21',
};
