import { compatible, type ProviderSheet } from '../provider.ts';

export const xai: ProviderSheet = {
  ...compatible,
  kind: 'xai',
  name: 'xAI',
  baseUrl: 'https://api.x.ai/v1',
  keyVariables: ['XAI_API_KEY'],
  usage: 'given',
  // A wrong key is a 400 here, recorded 2026-08.
  errors: [{ status: 400, text: 'incorrect api key', means: 'bad_credentials' }],
  docs: 'https://docs.x.ai',
  checked: '2026-11-21',
};
