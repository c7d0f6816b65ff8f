import { PROVIDER_KINDS, type ProviderKind } from '@floe/contract/config/provider-kinds';

/** How a provider of another gateway is configured in Floe. */
export interface KnownProvider {
  readonly kind: ProviderKind;
  /** Environment variable that the other gateway reads if the configuration has no key. */
  readonly variable?: string;
  /** Base URL of a service without a provider kind of its own. */
  readonly baseUrl?: string;
  /** Path suffix of `base_url` in Floe. */
  readonly path?: string;
  /** Only the origin of the other gateway's URL is used. */
  readonly isOriginOnly?: true;
  /** Models may be named `<region>/<model>`. */
  readonly hasRegionInModel?: true;
}

const KNOWN_PROVIDERS: Readonly<Record<string, KnownProvider>> = {
  openai: { kind: 'openai', variable: 'OPENAI_API_KEY' },
  azure: { kind: 'azure-openai', variable: 'AZURE_API_KEY', isOriginOnly: true },
  anthropic: { kind: 'anthropic', variable: 'ANTHROPIC_API_KEY' },
  gemini: { kind: 'gemini', variable: 'GEMINI_API_KEY' },
  vertex: { kind: 'vertex' },
  bedrock: { kind: 'bedrock', hasRegionInModel: true },
  mistral: { kind: 'mistral', variable: 'MISTRAL_API_KEY' },
  cohere: { kind: 'cohere', variable: 'COHERE_API_KEY' },
  groq: { kind: 'groq', variable: 'GROQ_API_KEY' },
  deepseek: { kind: 'deepseek', variable: 'DEEPSEEK_API_KEY' },
  xai: { kind: 'xai', variable: 'XAI_API_KEY' },
  together: { kind: 'together', variable: 'TOGETHERAI_API_KEY' },
  fireworks: { kind: 'fireworks', variable: 'FIREWORKS_AI_API_KEY' },
  openrouter: { kind: 'openrouter', variable: 'OPENROUTER_API_KEY' },
  perplexity: { kind: 'perplexity', variable: 'PERPLEXITYAI_API_KEY' },
  cerebras: { kind: 'cerebras', variable: 'CEREBRAS_API_KEY' },
  moonshot: { kind: 'moonshot', variable: 'MOONSHOT_API_KEY' },
  ollama: { kind: 'ollama', path: '/v1' },
  vllm: { kind: 'vllm' },
  compatible: { kind: 'openai-compatible' },
  nvidia_nim: {
    kind: 'openai-compatible',
    variable: 'NVIDIA_NIM_API_KEY',
    baseUrl: 'https://integrate.api.nvidia.com/v1',
  },
  deepinfra: {
    kind: 'openai-compatible',
    variable: 'DEEPINFRA_API_KEY',
    baseUrl: 'https://api.deepinfra.com/v1/openai',
  },
  sambanova: {
    kind: 'openai-compatible',
    variable: 'SAMBANOVA_API_KEY',
    baseUrl: 'https://api.sambanova.ai/v1',
  },
};

/** Other names of the same provider in other gateways. */
const SYNONYMS: Readonly<Record<string, string>> = {
  'text-completion-openai': 'openai',
  'azure-openai': 'azure',
  azure_text: 'azure',
  google: 'gemini',
  vertex_ai: 'vertex',
  vertex_ai_beta: 'vertex',
  'vertex-ai': 'vertex',
  aws_bedrock: 'bedrock',
  bedrock_converse: 'bedrock',
  'mistral-ai': 'mistral',
  cohere_chat: 'cohere',
  'x-ai': 'xai',
  together_ai: 'together',
  'together-ai': 'together',
  fireworks_ai: 'fireworks',
  'fireworks-ai': 'fireworks',
  'perplexity-ai': 'perplexity',
  parasail: 'compatible',
  ollama_chat: 'ollama',
  hosted_vllm: 'vllm',
  openai_like: 'compatible',
  custom_openai: 'compatible',
  litellm_proxy: 'compatible',
  lm_studio: 'compatible',
  llamafile: 'compatible',
  xinference: 'compatible',
  sgl: 'compatible',
  azure_ai: 'compatible',
};

/**
 * Returns how a provider of another gateway is configured in Floe. Returns undefined if the name is unknown.
 */
export function findKnownProvider(name: string): KnownProvider | undefined {
  const known = Object.hasOwn(SYNONYMS, name) ? SYNONYMS[name] : name;
  return known !== undefined && Object.hasOwn(KNOWN_PROVIDERS, known) ? KNOWN_PROVIDERS[known] : undefined;
}

/** Returns whether a provider of this kind must have a base URL. */
export function isBaseUrlRequired(kind: ProviderKind): boolean {
  return PROVIDER_KINDS[kind].base_url === 'required';
}

const WITHOUT_PRICES: ReadonlySet<unknown> = new Set([
  'openai-compatible',
  'anthropic-compatible',
  'vllm',
  'ollama',
]);

/**
 * Returns the name of the provider that a slug such as `openai-prod-1a2b` begins with. Returns an empty
 * string if it begins with no known name.
 */
export function guessProviderFromSlug(slug: string): string {
  const names = [...Object.keys(KNOWN_PROVIDERS), ...Object.keys(SYNONYMS)].filter((name) =>
    slug.startsWith(`${name}-`),
  );
  return names.sort((a, b) => b.length - a.length)[0] ?? '';
}

/** Returns whether the price catalog contains models of this kind of provider. */
export function hasCatalogPrices(kind: unknown): boolean {
  return !WITHOUT_PRICES.has(kind);
}

/**
 * Returns the provider kind to use with a base URL. For the kind `openai` and the URL of another server,
 * returns `openai-compatible`, which supports only Chat Completions.
 */
export function resolveProviderKindForUrl(kind: ProviderKind, url: string | undefined): ProviderKind {
  const isOwn = url === undefined || /^https:\/\/([a-z]+\.)?api\.openai\.com(\/|$)/.test(url);
  return kind === 'openai' && !isOwn ? 'openai-compatible' : kind;
}

/** Model ids that LiteLLM accepts without a provider name. */
const BARE_MODELS: readonly (readonly [RegExp, string])[] = [
  [
    /^(gpt-|o\d|chatgpt-|text-embedding-|dall-e|whisper|tts-|davinci|babbage|omni-moderation|ft:gpt)/,
    'openai',
  ],
  [/^claude/, 'anthropic'],
  [/^gemini/, 'vertex'],
  [/^(command|embed-|rerank-)/, 'cohere'],
  [/^(anthropic|amazon|meta|mistral|ai21|cohere)\./, 'bedrock'],
];

/**
 * Returns the provider of a model whose id has no provider prefix. Returns undefined if it cannot be
 * determined.
 */
export function guessProviderFromModel(model: string): string | undefined {
  return BARE_MODELS.find(([pattern]) => pattern.test(model))?.[1];
}

/** Prefixes of model ids that select an API and are not part of the id. */
const API_PREFIXES: Readonly<Record<string, RegExp>> = {
  'azure-openai': /^(?:o_series|gpt5_series|responses)\//,
  openai: /^(?:responses|chat)\//,
  bedrock: /^(?:converse|invoke|converse_like)\//,
};

/** Returns the model id without the prefix that selects an API of the provider. */
export function stripApiPrefix(kind: ProviderKind, model: string): string {
  const prefix = API_PREFIXES[kind];
  return prefix === undefined ? model : model.replace(prefix, '');
}
