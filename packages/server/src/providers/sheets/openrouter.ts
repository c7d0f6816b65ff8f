import { compatible, type ProviderSheet } from '../provider.ts';

export const openrouter: ProviderSheet = {
  ...compatible,
  kind: 'openrouter',
  name: 'OpenRouter',
  baseUrl: 'https://openrouter.ai/api/v1',
  keyVariables: ['OPENROUTER_API_KEY'],
  usage: 'given',
  docs: 'https://openrouter.ai/docs',
  checked: '2026-11-21',
};
