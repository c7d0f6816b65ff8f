import { compatible, type ProviderSheet } from '../provider.ts';

export const deepseek: ProviderSheet = {
  ...compatible,
  kind: 'deepseek',
  name: 'DeepSeek',
  baseUrl: 'https://api.deepseek.com',
  keyVariables: ['DEEPSEEK_API_KEY'],
  usage: 'given',
  docs: 'https://api-docs.deepseek.com',
  checked: '2026-11-21',
};
