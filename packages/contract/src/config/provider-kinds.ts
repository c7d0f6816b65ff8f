interface ProviderKindSpec {
  readonly base_url: 'known' | 'required';
  readonly cloud?: readonly ('region' | 'project')[];
}

/**
 * The provider kinds. This list is not in `server/src/providers`, because the schema of floe.yaml needs it. A
 * test there compares it with the provider definitions. Kinds with `base_url: required` have no public URL. `cloud` lists the cloud
 * settings that a kind uses.
 */
export const PROVIDER_KINDS = {
  openai: { base_url: 'known' },
  'azure-openai': { base_url: 'required' },
  anthropic: { base_url: 'known' },
  gemini: { base_url: 'known' },
  vertex: { base_url: 'known', cloud: ['region', 'project'] },
  bedrock: { base_url: 'known', cloud: ['region'] },
  mistral: { base_url: 'known' },
  cohere: { base_url: 'known' },
  groq: { base_url: 'known' },
  deepseek: { base_url: 'known' },
  xai: { base_url: 'known' },
  together: { base_url: 'known' },
  fireworks: { base_url: 'known' },
  openrouter: { base_url: 'known' },
  perplexity: { base_url: 'known' },
  cerebras: { base_url: 'known' },
  moonshot: { base_url: 'known' },
  ollama: { base_url: 'known' },
  vllm: { base_url: 'required' },
  'openai-compatible': { base_url: 'required' },
  'anthropic-compatible': { base_url: 'required' },
  sandbox: { base_url: 'known' },
} as const satisfies Record<string, ProviderKindSpec>;

export type ProviderKind = keyof typeof PROVIDER_KINDS;

/** Returns whether providers of this kind use the cloud setting. */
export function usesCloudSetting(kind: string, setting: 'region' | 'project'): boolean {
  if (!isProviderKind(kind)) return false;
  const spec: ProviderKindSpec = PROVIDER_KINDS[kind];
  return spec.cloud?.includes(setting) ?? false;
}

/** Returns whether a value is the name of a provider kind. */
export function isProviderKind(name: unknown): name is ProviderKind {
  return typeof name === 'string' && Object.hasOwn(PROVIDER_KINDS, name);
}

export const PROVIDER_KIND_NAMES: readonly ProviderKind[] =
  Object.keys(PROVIDER_KINDS).filter(isProviderKind);
