/** The request and answer languages an upstream may speak. */
export type Dialect = 'chat' | 'responses' | 'messages' | 'gemini';

/** How a credential travels. */
export type Auth =
  | { readonly type: 'bearer' }
  | { readonly type: 'header'; readonly name: string }
  | { readonly type: 'none' };

/** An exception to the default reading of error statuses: this status with this text means `class`. */
export interface ErrorRule {
  readonly status: number;
  /** Lower-case text that must occur in the body. */
  readonly text: string;
  /** `request`: the client's own request is refused, and the answer is the client's to read. */
  readonly means: 'bad_credentials' | 'rate' | 'overloaded' | 'request';
}

/**
 * A provider as data: what differs from a plain host that copies the Chat dialect. Facts and their
 * confidence are dated; the only place in the code where a vendor is named.
 */
export interface ProviderSheet {
  readonly kind: string;
  readonly name: string;
  /** Default base address; absent when only the operator knows it. */
  readonly baseUrl?: string;
  /** Environment variables that hold its key, the first set one wins. */
  readonly keyVariables: readonly string[];
  /** Environment variables that hold its address. */
  readonly urlVariables?: readonly string[];
  readonly auth: Auth;
  /** Path below the base per dialect it speaks. */
  readonly speaks: Partial<Record<Dialect, string>>;
  /** Path of its model list, absent when it has none worth asking. */
  readonly models?: string;
  /**
   * Usage in Chat streams: `ask` sends `stream_options.include_usage`, `given` arrives unasked,
   * `forbidden` arrives unasked and the field is refused.
   */
  readonly usage: 'ask' | 'given' | 'forbidden';
  /** Models whose Chat content carries `<think>…</think>`; `*` matches anything. */
  readonly thinkTags?: readonly string[];
  readonly errors?: readonly ErrorRule[];
  /** Model ids a key-only setup lists before the provider's own list was read. */
  readonly knownModels?: readonly string[];
  /** Provider documentation and the day the facts were checked. */
  readonly docs: string;
  readonly checked: string;
}

/** Fields of a host that copies the Chat dialect and wants a bearer key. */
export const compatible = {
  auth: { type: 'bearer' },
  speaks: { chat: '/chat/completions' },
  models: '/models',
  usage: 'given',
} as const satisfies Partial<ProviderSheet>;
