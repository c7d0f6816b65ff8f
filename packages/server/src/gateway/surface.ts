import type { FaultShape } from '@floe/contract/fault-answer';
import type { Billing } from './billing.ts';

/** What a path of the gateway speaks to its client. */
export interface Surface {
  /** Name on the exchange row. */
  readonly name: string;
  readonly routeMode: 'unified' | 'passthrough-a' | 'passthrough-b' | 'ide';
  readonly dialect: 'chat' | 'responses' | 'messages';
  readonly faultShape: FaultShape;
  readonly billing: Billing;
  /** Client headers an upstream of the same dialect gets to see; everything else stays here. */
  readonly forwarded: readonly string[];
  /** Set where IDEs ask, whose bodies mix the dialects; `deployment` is the model a path names. */
  readonly ide?: { readonly deployment: string | null };
}

export const CHAT: Surface = {
  name: 'chat',
  routeMode: 'unified',
  dialect: 'chat',
  faultShape: 'openai',
  billing: 'tokens',
  forwarded: ['openai-beta'],
};

export const RESPONSES: Surface = { ...CHAT, name: 'responses', dialect: 'responses' };

/** Vectors: OpenAI-shaped, whoever makes them. */
export const EMBEDDING_SURFACE: Surface = { ...CHAT, name: 'embeddings', forwarded: [] };

export const MESSAGES: Surface = {
  name: 'messages',
  routeMode: 'unified',
  dialect: 'messages',
  faultShape: 'anthropic',
  billing: 'tokens',
  forwarded: ['anthropic-version', 'anthropic-beta'],
};

/** Counts what a Messages request would come to, and asks no model. */
export const COUNT_TOKENS: Surface = { ...MESSAGES, name: 'count_tokens', billing: 'free' };
