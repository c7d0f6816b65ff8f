import { compatible, type ProviderSheet } from '../provider.ts';

export const fireworks: ProviderSheet = {
  ...compatible,
  kind: 'fireworks',
  name: 'Fireworks AI',
  baseUrl: 'https://api.fireworks.ai/inference/v1',
  keyVariables: ['FIREWORKS_API_KEY', 'FIREWORKS_AI_API_KEY'],
  usage: 'given',
  thinkTags: ['*deepseek-r1*'],
  docs: 'https://docs.fireworks.ai',
  checked: '2026-11-21',
};
