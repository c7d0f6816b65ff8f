import type { ErrorBodyFormat } from '@floe/contract/fault-response';
import type { BillingMode } from './billing.ts';

/** A gateway surface: the API that clients use, its dialect, and how its requests are handled. */
export interface GatewaySurface {
  /** The name of the surface in the request log row. */
  readonly name: string;
  readonly routeMode: 'unified' | 'passthrough-a' | 'passthrough-b' | 'ide';
  readonly dialect: 'chat' | 'responses' | 'messages';
  readonly faultShape: ErrorBodyFormat;
  readonly billing: BillingMode;
  /** Client headers that are forwarded to a provider of the same dialect. All other headers are removed. */
  readonly forwardedHeaders: readonly string[];
  /**
   * Set for IDEs, because their bodies mix dialects. `deployment` is the model in the path. Null if
   * there is none.
   */
  readonly ide?: { readonly deployment: string | null };
}

/** The surface for the Chat Completions API. */
export const CHAT_SURFACE: GatewaySurface = {
  name: 'chat',
  routeMode: 'unified',
  dialect: 'chat',
  faultShape: 'openai',
  billing: 'tokens',
  forwardedHeaders: ['openai-beta'],
};

/** The surface for the Responses API. */
export const RESPONSES_SURFACE: GatewaySurface = { ...CHAT_SURFACE, name: 'responses', dialect: 'responses' };

/** The surface for embeddings. It uses the OpenAI format for every provider. */
export const EMBEDDINGS_SURFACE: GatewaySurface = {
  ...CHAT_SURFACE,
  name: 'embeddings',
  forwardedHeaders: [],
};

/** The surface for the Messages API. */
export const MESSAGES_SURFACE: GatewaySurface = {
  name: 'messages',
  routeMode: 'unified',
  dialect: 'messages',
  faultShape: 'anthropic',
  billing: 'tokens',
  forwardedHeaders: ['anthropic-version', 'anthropic-beta'],
};

/** The surface that counts the tokens in a Messages request without calling a model. */
export const MESSAGES_COUNT_TOKENS_SURFACE: GatewaySurface = {
  ...MESSAGES_SURFACE,
  name: 'count_tokens',
  billing: 'free',
};

/** The surface that counts the tokens in a Responses request without calling a model. */
export const RESPONSES_COUNT_TOKENS_SURFACE: GatewaySurface = {
  ...RESPONSES_SURFACE,
  name: 'count_tokens',
  billing: 'free',
};
