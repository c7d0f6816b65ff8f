import type { RequestWriteOptions } from '@floe/wire/dialect';
import type { EmbeddingsSupport } from '@floe/wire/embeddings';
import type { DialectName } from '@floe/wire/response-events';

/** A dialect that a provider can support. */
export type Dialect = DialectName;

/** How a credential is sent to a provider. */
export type ProviderAuth =
  | { readonly type: 'bearer' }
  | { readonly type: 'header'; readonly name: string }
  /** AWS Signature Version 4. An API key is sent as a bearer token instead. */
  | { readonly type: 'sigv4'; readonly service: string }
  /** A Google access token. An API key is sent in the header `name` instead. */
  | { readonly type: 'google'; readonly name: string }
  | { readonly type: 'none' };

/**
 * A path below the base URL, or an endpoint with a separate path for streams. The path may contain
 * `{model}`, `{region}` and `{project}`.
 */
export type EndpointPath = string | DialectEndpoint;
/** Paths by dialect. */
export type DialectPaths = Readonly<Partial<Record<Dialect, EndpointPath>>>;

/** A dialect's endpoint, and how the request body differs from the dialect. */
export interface DialectEndpoint {
  readonly nonStreaming: string;
  readonly streaming: string;
  /** Supported models. Absent: all. */
  readonly models?: readonly string[];
  readonly shape?: EndpointBodyAdjustments;
}

/**
 * How an endpoint's request body differs from the dialect, because the URL and headers contain some
 * of its members.
 */
export interface EndpointBodyAdjustments {
  /** Members that the endpoint rejects. They are reported as dropped, except `model` and `stream`. */
  readonly omits: readonly string[];
  /** Required members, as JSON text. */
  readonly sets: Readonly<Record<string, string>>;
  /** Members with the values of comma-separated request headers, by header name. */
  readonly headerLists: Readonly<Record<string, string>>;
  /** Request headers with a single valid value, by header name. Any other value is reported as dropped. */
  readonly impliedHeaders: Readonly<Record<string, string>>;
}

/** The URLs that result from a provider's settings. */
export interface ProviderAddress {
  readonly base: string;
  /** Paths and dialects of this address, which replace those of the definition. */
  readonly dialectPaths?: DialectPaths;
  /** Appended to every path, without `?`. */
  readonly query?: string;
  /** Base URL of the model list, if it is on another host. */
  readonly listBase?: string | undefined;
}

/** The provider settings that can affect URLs. */
export interface ProviderAddressSettings {
  readonly apiVersion?: string | undefined;
  readonly region?: string | undefined;
  readonly project?: string | undefined;
}

/** A way in which some of a provider's models differ from their dialect. */
export interface Quirk {
  /** Patterns that match the requested id or the provider's name of the model. Absent: all models. */
  readonly models?: readonly string[];
  readonly options: RequestWriteOptions;
}

/** Default sources for a setting that floe.yaml does not contain. */
export interface SettingFallback {
  readonly variables: readonly string[];
  readonly defaultValue?: string;
}

/** Models for which a dialect other than the provider's first one works better. */
export interface DialectPreference {
  readonly models: readonly string[];
  readonly dialect: Dialect;
}

/** The APIs that Floe forwards without parsing, by the first segment of their path. */
export type OpaqueApi = 'images' | 'audio' | 'moderations' | 'rerank' | 'files' | 'batches';

/** A provider's embeddings endpoint. */
export interface EmbeddingsEndpoint extends EmbeddingsSupport {
  /** Path below the base URL; may contain `{model}`. OpenAI-compatible endpoints are next to Chat. */
  readonly path?: string;
  /** Its name of `dimensions`. */
  readonly dimensions?: string;
}

/**
 * An exception to the default meaning of error statuses. An error with this status and this text
 * means `means`.
 */
export interface ErrorStatusOverride {
  readonly status: number;
  /** Lower-case text that the body must contain. */
  readonly text: string;
  /** `request`: the client's request is invalid, and the client receives the response. */
  readonly means: 'bad_credentials' | 'rate' | 'overloaded' | 'request';
}

/**
 * The declaration of a kind of provider. It states how the provider differs from one that only
 * implements the Chat dialect. Each fact has a date. Only provider definitions contain vendor names.
 */
export interface ProviderDefinition {
  readonly kind: string;
  readonly name: string;
  /** Default base URL. Absent if it must be configured. */
  readonly baseUrl?: string;
  /** Environment variables with the API key. The first one that is set counts. */
  readonly keyVariables: readonly string[];
  /** Environment variables with the base URL. */
  readonly urlVariables?: readonly string[];
  /** Settings that its URLs require, with the environment variables and values that are used by default. */
  readonly requiredSettings?: Readonly<Partial<Record<'region' | 'project', SettingFallback>>>;
  readonly auth: ProviderAuth;
  /**
   * Path of each supported dialect. Requests of these dialects are forwarded. Others are translated into the
   * first one, or into the preferred one for the model.
   */
  readonly dialectPaths: DialectPaths;
  /** The first entry with a matching pattern counts. */
  readonly dialectPreferences?: readonly DialectPreference[];
  /** Constant request headers in lower case. A client of the same dialect can override them. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Computes URLs that depend on the provider's settings. */
  readonly address?: (base: string, settings: ProviderAddressSettings) => ProviderAddress;
  /**
   * How to write translated requests for its models. All matching entries apply; a later entry replaces an
   * earlier value of the same option.
   */
  readonly quirks?: readonly Quirk[];
  /**
   * The passthrough surface for which this is the default provider, because its API is the model for that
   * style.
   */
  readonly defaultSurface?: 'a' | 'b';
  /** APIs of OpenAI that it supports in addition to the dialects. */
  readonly opaqueApis?: readonly OpaqueApi[];
  /** Their path below the base URL, if it is not that of Chat. */
  readonly opaqueBasePath?: string;
  /** Absent if it has no embeddings. */
  readonly embeddings?: EmbeddingsEndpoint;
  /** Its name in the price catalog, or `free`. Absent if it is in no catalog. */
  readonly priceBookName?: string;
  /** Path of its model list, or paths if there are several. Absent if there is no useful list. */
  readonly modelListPaths?: string | readonly string[];
  /**
   * Usage in Chat streams. `ask`: sent if `stream_options.include_usage` is set. `given`: always sent.
   * `forbidden`: always sent, and the field is rejected.
   */
  readonly streamUsage: 'ask' | 'given' | 'forbidden';
  /** Models whose Chat content has `<think>…</think>`; `*` matches any characters. */
  readonly thinkTags?: readonly string[];
  /** Whether it stores Responses turns for `previous_response_id`. */
  readonly storesResponses?: true;
  /** Whether it counts tokens of Messages requests. For other providers of that dialect, Floe tries. */
  readonly countsTokens?: true;
  readonly errors?: readonly ErrorStatusOverride[];
  /** Model ids for a provider that is configured only by key, until its model list has been read. */
  readonly knownModels?: readonly string[];
  /** Documentation of the provider, and the date of the facts. */
  readonly docs: string;
  readonly checked: string;
}

/** Fields for a provider that implements the Chat dialect and requires a bearer key. */
export const chatCompatibleFields = {
  auth: { type: 'bearer' },
  dialectPaths: { chat: '/chat/completions' },
  modelListPaths: '/models',
  streamUsage: 'given',
} as const satisfies Partial<ProviderDefinition>;

/**
 * Fields for a provider that implements the Messages dialect. Its base URL has no `/v1`, but a base URL
 * with `/v1` also works. Translated requests use API version 2023-06-01, because later versions
 * reject sampling fields.
 */
export const messagesCompatibleFields = {
  auth: { type: 'header', name: 'x-api-key' },
  headers: { 'anthropic-version': '2023-06-01' },
  dialectPaths: { messages: '/v1/messages' },
  address: (base) => ({ base: stripVersionSuffix(base) }),
  modelListPaths: '/v1/models?limit=1000',
  streamUsage: 'given',
} as const satisfies Partial<ProviderDefinition>;

/** Removes a trailing `/v1` from a base URL, for providers whose paths already contain it. */
export function stripVersionSuffix(base: string): string {
  return base.replace(/\/v1\/?$/, '');
}
