import type { UpstreamOptions } from '@floe/wire/dialect';
import type { DialectName } from '@floe/wire/events';

/** The request and answer languages an upstream may speak. */
export type Dialect = DialectName;

/** How a credential travels. */
export type Auth =
  | { readonly type: 'bearer' }
  | { readonly type: 'header'; readonly name: string }
  | { readonly type: 'none' };

/** Base address and query that every path gets. */
export interface Address {
  readonly base: string;
  /** Put between base and path, `{model}` standing for the deployment. */
  readonly prefix?: string;
  readonly query?: string;
}

export interface Quirk {
  /** Model patterns it holds for; every model when absent. */
  readonly models?: readonly string[];
  readonly options: UpstreamOptions;
}

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
  /**
   * Path below the base per dialect it speaks, `{model}` standing for the model. A request of another
   * dialect is translated into the first one.
   */
  readonly speaks: Partial<Record<Dialect, string | { readonly whole: string; readonly stream: string }>>;
  /** Constant request headers; a client of the same dialect that sends one of them keeps its own. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Where addresses depend on how the operator set the provider up. */
  readonly address?: (base: string, settings: { readonly apiVersion: string | undefined }) => Address;
  /** How requests must be written for its models when they are translated; later entries add to earlier ones. */
  readonly quirks?: readonly Quirk[];
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
