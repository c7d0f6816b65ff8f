import { compatible, type ProviderSheet } from '../provider.ts';

/** Self-hosted; the operator names the base address, `/v1` included. */
export const vllm: ProviderSheet = {
  ...compatible,
  kind: 'vllm',
  name: 'vLLM',
  keyVariables: ['VLLM_API_KEY'],
  urlVariables: ['VLLM_BASE_URL'],
  usage: 'ask',
  docs: 'https://docs.vllm.ai',
  checked: '2026-11-21',
};
