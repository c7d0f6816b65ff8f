import type { RequestWriteOptions } from '@floe/wire/dialect';
import type { EmbeddingsSupport } from '@floe/wire/embeddings';
import type { DialectName } from '@floe/wire/events';

/** The request and answer languages an upstream may speak. */
export type Dialect = DialectName;

/** How a credential travels. */
export type ProviderAuth =
  | { readonly type: 'bearer' }
  | { readonly type: 'header'; readonly name: string }
  /** AWS Signature Version 4; an API key travels as a bearer token instead. */
  | { readonly type: 'sigv4'; readonly service: string }
  /** A Google access token; an API key travels in the header `name` instead. */
  | { readonly type: 'google'; readonly name: string }
  | { readonly type: 'none' };

/**
 * A path below the base address, or an endpoint with two of them where streams have their own. `{model}`,
 * `{region}` and `{project}` stand for what they name.
 */
export type EndpointPath = string | DialectEndpoint;
export type DialectPaths = Readonly<Partial<Record<Dialect, EndpointPath>>>;

/** Where a dialect is spoken, and how its body differs there from the dialect's own. */
export interface DialectEndpoint {
  readonly nonStreaming: string;
  readonly streaming: string;
  /** Models it serves; all when absent. */
  readonly models?: readonly string[];
  readonly shape?: BodyShape;
}

/** A dialect's body as one endpoint wants it: what its address and headers say stands in it, or does not. */
export interface BodyShape {
  /** Members that would be refused; all but `model` and `stream` are reported as dropped. */
  readonly omits: readonly string[];
  /** Members it demands, as JSON text. */
  readonly sets: Readonly<Record<string, string>>;
  /** Request headers whose comma-separated values stand in a member here, by header name. */
  readonly headerLists: Readonly<Record<string, string>>;
  /** Request headers with only one value it could mean, by header name. Another is reported as dropped. */
  readonly impliedHeaders: Readonly<Record<string, string>>;
}

/** Where an operator's settings lead. */
export interface ProviderAddress {
  readonly base: string;
  /** Paths and dialects of this address, instead of the sheet's. */
  readonly dialectPaths?: DialectPaths;
  /** Appended to every path, without `?`. */
  readonly query?: string;
  /** Where the model list is, when that is another host. */
  readonly listBase?: string | undefined;
}

/** What an operator says that addresses may depend on. */
export interface ProviderAddressSettings {
  readonly apiVersion?: string | undefined;
  readonly region?: string | undefined;
  readonly project?: string | undefined;
}

export interface Quirk {
  /** Model patterns it holds for, matched against the id asked for and the upstream's name; all when absent. */
  readonly models?: readonly string[];
  readonly options: RequestWriteOptions;
}

/** What stands in for a setting that floe.yaml does not have. */
export interface SettingFallback {
  readonly variables: readonly string[];
  readonly defaultValue?: string;
}

/** Models that are better asked in another dialect than the first one. */
export interface DialectPreference {
  readonly models: readonly string[];
  readonly dialect: Dialect;
}

/** Paths that pass without being understood, by the first word of their address. */
export type OpaqueApi = 'images' | 'audio' | 'moderations' | 'rerank' | 'files' | 'batches';

/** How a provider is asked for vectors. */
export interface EmbeddingsEndpoint extends EmbeddingsSupport {
  /** Below the base address, `{model}` standing for the model; OpenAI-shaped ones stand beside Chat. */
  readonly path?: string;
  /** Its name for `dimensions`. */
  readonly dimensions?: string;
}

/** An exception to the default reading of error statuses: this status with this text means `means`. */
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
  /** Settings its addresses need, and the environment variables and the value that stand in for them. */
  readonly requiredSettings?: Readonly<Partial<Record<'region' | 'project', SettingFallback>>>;
  readonly auth: ProviderAuth;
  /**
   * Path per dialect it speaks. A request of one of them is forwarded; of any other, translated into the
   * first one, or the one `prefers` names for the model.
   */
  readonly dialectPaths: DialectPaths;
  /** The first entry with a pattern for the model wins. */
  readonly dialectPreferences?: readonly DialectPreference[];
  /** Constant request headers, lower case; a client of the same dialect that sends one of them keeps its own. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Where addresses depend on how the operator set the provider up. */
  readonly address?: (base: string, settings: ProviderAddressSettings) => ProviderAddress;
  /**
   * How requests must be written for its models when they are translated. Every entry that holds for a model
   * applies; an option said twice is the later one's, whole.
   */
  readonly quirks?: readonly Quirk[];
  /** The passthrough surface it stands behind when nobody is named: its own API is the model of that style. */
  readonly defaultSurface?: 'a' | 'b';
  /** OpenAI-shaped paths it has besides the dialects. */
  readonly opaqueApis?: readonly OpaqueApi[];
  /** Where those stand below the base address, when that is not beside Chat. */
  readonly opaqueBasePath?: string;
  /** Absent when it has none. */
  readonly embeddings?: EmbeddingsEndpoint;
  /** Its name in the price catalog, or `free` for what costs nothing; absent when no catalog has it. */
  readonly priceBookName?: string;
  /** Path of its model list, several when it keeps several; absent when it has none worth asking. */
  readonly modelListPaths?: string | readonly string[];
  /**
   * Usage in Chat streams: `ask` sends `stream_options.include_usage`, `given` arrives unasked,
   * `forbidden` arrives unasked and the field is refused.
   */
  readonly streamUsage: 'ask' | 'given' | 'forbidden';
  /** Models whose Chat content carries `<think>…</think>`; `*` matches anything. */
  readonly thinkTags?: readonly string[];
  /** It keeps Responses answers itself, for `previous_response_id`. */
  readonly storesResponses?: true;
  /** It counts the tokens of Messages requests; others of that dialect are asked whether they do. */
  readonly countsTokens?: true;
  readonly errors?: readonly ErrorRule[];
  /** Model ids a key-only setup lists before the provider's own list was read. */
  readonly knownModels?: readonly string[];
  /** Provider documentation and the day the facts were checked. */
  readonly docs: string;
  readonly checked: string;
}

/** Fields of a host that copies the Chat dialect and wants a bearer key. */
export const chatCompatibleFields = {
  auth: { type: 'bearer' },
  dialectPaths: { chat: '/chat/completions' },
  modelListPaths: '/models',
  streamUsage: 'given',
} as const satisfies Partial<ProviderSheet>;

/**
 * Fields of a host that copies the Messages dialect. Its address is written without `/v1`; one written with
 * it means the same. Translated requests follow API version 2023-06-01: later ones refuse sampling fields.
 */
export const messagesCompatibleFields = {
  auth: { type: 'header', name: 'x-api-key' },
  headers: { 'anthropic-version': '2023-06-01' },
  dialectPaths: { messages: '/v1/messages' },
  address: (base) => ({ base: stripVersionSuffix(base) }),
  modelListPaths: '/v1/models?limit=1000',
  streamUsage: 'given',
} as const satisfies Partial<ProviderSheet>;

/** A base address without a trailing `/v1`, for hosts whose paths carry it. */
export function stripVersionSuffix(base: string): string {
  return base.replace(/\/v1\/?$/, '');
}
