import type { ErrorBodyFormat } from '@floe/contract/fault-response';
import type { BillingMode } from './billing.ts';

/** What a path of the gateway speaks to its client. */
export interface GatewaySurface {
  /** Name on the exchange row. */
  readonly name: string;
  readonly routeMode: 'unified' | 'passthrough-a' | 'passthrough-b' | 'ide';
  readonly dialect: 'chat' | 'responses' | 'messages';
  readonly faultShape: ErrorBodyFormat;
  readonly billing: BillingMode;
  /** Client headers an upstream of the same dialect gets to see; everything else stays here. */
  readonly forwardedHeaders: readonly string[];
  /** Set where IDEs ask, whose bodies mix the dialects; `deployment` is the model a path names. */
  readonly ide?: { readonly deployment: string | null };
}

export const CHAT_SURFACE: GatewaySurface = {
  name: 'chat',
  routeMode: 'unified',
  dialect: 'chat',
  faultShape: 'openai',
  billing: 'tokens',
  forwardedHeaders: ['openai-beta'],
};

export const RESPONSES_SURFACE: GatewaySurface = { ...CHAT_SURFACE, name: 'responses', dialect: 'responses' };

/** Vectors: OpenAI-shaped, whoever makes them. */
export const EMBEDDINGS_SURFACE: GatewaySurface = {
  ...CHAT_SURFACE,
  name: 'embeddings',
  forwardedHeaders: [],
};

export const MESSAGES_SURFACE: GatewaySurface = {
  name: 'messages',
  routeMode: 'unified',
  dialect: 'messages',
  faultShape: 'anthropic',
  billing: 'tokens',
  forwardedHeaders: ['anthropic-version', 'anthropic-beta'],
};

/** Counts what a Messages request would come to, and asks no model. */
export const COUNT_TOKENS_SURFACE: GatewaySurface = {
  ...MESSAGES_SURFACE,
  name: 'count_tokens',
  billing: 'free',
};
