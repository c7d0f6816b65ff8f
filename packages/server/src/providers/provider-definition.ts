import type { RequestWriteOptions } from '@floe/wire/dialect';
import type { EmbeddingsSupport } from '@floe/wire/embeddings';
import type { DialectName } from '@floe/wire/response-events';

/** A dialect that a provider can support. */
export type Dialect = DialectName;

/** How a credential is sent to a provider. */
export type ProviderAuth =
  | { readonly type: 'bearer' }
  | { readonly type: 'header'; readonly name: string }
  /** AWS Signature Version 4. If the credential is an API key, it is sent as a bearer token instead. */
  | { readonly type: 'sigv4'; readonly service: string }
  /** A Google access token. If the credential is an API key, it is sent in the header `name` instead. */
  | { readonly type: 'google'; readonly name: string }
  | { readonly type: 'none' };

/**
 * A path below the base URL, or an endpoint with a separate path for streams. The path may contain
 * `{model}`, `{region}` and `{project}`.
 */
export type DialectEndpointOrPath = string | DialectEndpoint;
/** Endpoint paths by dialect. */
export type EndpointsByDialect = Readonly<Partial<Record<Dialect, DialectEndpointOrPath>>>;

/** A dialect's endpoint, and how the request body differs from the dialect. */
export interface DialectEndpoint {
  readonly nonStreaming: string;
  readonly streaming: string;
  /** Patterns of the models that the endpoint supports. Absent if it supports all. */
  readonly models?: readonly string[];
  readonly shape?: EndpointRequestAdjustments;
}

/**
 * How the request body of an endpoint differs from the dialect. For example, `model` is in the URL and not in the
 * body.
 */
export interface EndpointRequestAdjustments {
  /** Members that the endpoint rejects. They are reported as dropped, except `model` and `stream`. */
  readonly omits: readonly string[];
  /**
   * Members of `omits` that a request needs to keep its meaning. The endpoint lacks these features, so a request
   * that has one of these members is not sent to it.
   */
  readonly hostedFeatures: readonly string[];
  /** Members that the endpoint requires, with their JSON text. */
  readonly sets: Readonly<Record<string, string>>;
  /** Members that contain the values of comma-separated request headers, by header name. */
  readonly headersInBody: Readonly<Record<string, HeaderValuesBodyMember>>;
  /**
   * Request headers for which the endpoint allows only one value, by header name. Any other value is reported
   * as dropped.
   */
  readonly impliedHeaders: Readonly<Record<string, string>>;
}

/** A member of the body that contains the values of a request header. */
export interface HeaderValuesBodyMember {
  readonly member: string;
  /** The values that the endpoint accepts. Other values are reported as dropped, because it rejects the request. */
  readonly accepted: readonly string[];
  /** The endpoint's names of values that it accepts under another name. */
  readonly renames: Readonly<Record<string, string>>;
}

/** The base URL and paths that Floe derives from a provider's settings. */
export interface ResolvedProviderUrls {
  readonly base: string;
  /** Paths of the dialects at this URL. They replace those of the definition. */
  readonly dialectPaths?: EndpointsByDialect;
  /** Query that is appended to every path, without `?`. */
  readonly query?: string;
  /** Base URL of the model list, if it is on another host. */
  readonly listBase?: string | undefined;
}

/** The provider settings that can affect URLs. */
export interface ProviderUrlSettings {
  readonly apiVersion?: string | undefined;
  readonly region?: string | undefined;
  readonly project?: string | undefined;
}

/** A way in which some of a provider's models differ from their dialect. */
export interface Quirk {
  /** Patterns that match the requested id or the provider's own name of the model. Absent for all models. */
  readonly models?: readonly string[];
  readonly options: RequestWriteOptions;
}

/** The environment variables and the default value that are used if floe.yaml does not contain a setting. */
export interface ProviderSettingFallback {
  readonly variables: readonly string[];
  readonly defaultValue?: string;
}

/** A dialect, other than the provider's first one, that works better for some models. */
export interface DialectPreference {
  readonly models: readonly string[];
  readonly dialect: Dialect;
}

/** An API that Floe forwards without parsing, named after the first segment of its path. */
export type OpaqueApi = 'completions' | 'images' | 'audio' | 'moderations' | 'rerank' | 'files' | 'batches';

/** A provider's embeddings endpoint. */
export interface EmbeddingsEndpoint extends EmbeddingsSupport {
  /** Path below the base URL; may contain `{model}`. If it is absent, the path follows from that of Chat. */
  readonly path?: string;
  /** The provider's name of the field `dimensions`. */
  readonly dimensions?: string;
}

/**
 * An exception to the default meaning of an error status. An error with this status and this text has the
 * meaning `means`.
 */
export interface ErrorStatusOverride {
  readonly status: number;
  /** Text that the body must contain, in lower case. */
  readonly text: string;
  /** `request`: the client's request is invalid, and the client receives the response. */
  readonly means: 'bad_credentials' | 'rate' | 'overloaded' | 'request';
}

/**
 * Declares a kind of provider and how it differs from a provider that only implements the Chat Completions
 * dialect. Each definition records the date when it was verified. Only provider definitions contain vendor
 * names.
 */
export interface ProviderDefinition {
  readonly kind: string;
  readonly name: string;
  /** Default base URL. Absent if it must be configured. */
  readonly baseUrl?: string;
  /** Environment variables that may contain the API key. The first one that is set is used. */
  readonly keyVariables: readonly string[];
  /** Environment variables that may contain the base URL. The first one that is set is used. */
  readonly urlVariables?: readonly string[];
  /** Settings that the provider's URLs require, and where their default values come from. */
  readonly requiredSettings?: Readonly<Partial<Record<'region' | 'project', ProviderSettingFallback>>>;
  readonly auth: ProviderAuth;
  /**
   * The path of each supported dialect. Requests of these dialects are forwarded. Requests of other dialects
   * are translated into the first one, or into the preferred one for the model.
   */
  readonly dialectPaths: EndpointsByDialect;
  /** Preferred dialects for some models. The first entry with a matching pattern applies. */
  readonly dialectPreferences?: readonly DialectPreference[];
  /** Constant request headers, with names in lower case. A client of the same dialect can override them. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Computes URLs that depend on the provider's settings. */
  readonly address?: (base: string, settings: ProviderUrlSettings) => ResolvedProviderUrls;
  /**
   * How to write translated requests for the provider's models. All matching entries apply; a later entry
   * replaces an earlier value of the same option.
   */
  readonly quirks?: readonly Quirk[];
  /**
   * The passthrough surface that uses this provider by default: `a` for the OpenAI API, `b` for the Anthropic
   * API. Absent for other providers.
   */
  readonly defaultSurface?: 'a' | 'b';
  /** OpenAI APIs that the provider supports in addition to the dialects. */
  readonly opaqueApis?: readonly OpaqueApi[];
  /** Path of these APIs below the base URL, if it differs from that of Chat. */
  readonly opaqueBasePath?: string;
  /** The embeddings endpoint. Absent if the provider has none. */
  readonly embeddings?: EmbeddingsEndpoint;
  /** The provider's name in the price catalog, or `free`. Absent if the catalog does not contain the provider. */
  readonly priceCatalogName?: string;
  /** Path or paths of the provider's model list. Absent if it has no useful list. */
  readonly modelListPaths?: string | readonly string[];
  /**
   * How the provider reports usage in Chat streams. `ask`: if `stream_options.include_usage` is set. `given`:
   * always. `forbidden`: always, and it rejects the field.
   */
  readonly streamUsage: 'ask' | 'given' | 'forbidden';
  /**
   * Patterns of models that write reasoning as `<think>…</think>` in Chat content. `*` matches any
   * characters.
   */
  readonly thinkTags?: readonly string[];
  /** Whether the provider stores Responses turns for `previous_response_id`. */
  readonly storesResponses?: true;
  /**
   * Whether the provider counts the tokens of Messages or Responses requests. If it is absent, Floe tries it for
   * providers of that dialect.
   */
  readonly countsTokens?: true;
  readonly errors?: readonly ErrorStatusOverride[];
  /**
   * Model ids that are used until the model list has been read, for a provider that is configured only by its
   * key.
   */
  readonly knownModels?: readonly string[];
  /** URL of the provider's documentation. `checked` is the date on which the definition was compared with it. */
  readonly docs: string;
  readonly checked: string;
}

/** Common fields of provider definitions that use the Chat Completions dialect and bearer authentication. */
export const chatProviderDefaults = {
  auth: { type: 'bearer' },
  dialectPaths: { chat: '/chat/completions' },
  modelListPaths: '/models',
  streamUsage: 'given',
} as const satisfies Partial<ProviderDefinition>;

/**
 * Common fields of the definitions of providers that implement the Messages dialect. The base URL may or may
 * not end with `/v1`. Translated requests use API version 2023-06-01, because later versions reject sampling
 * fields.
 */
export const messagesProviderDefaults = {
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
