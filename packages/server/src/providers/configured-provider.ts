import { createHash } from 'node:crypto';
import type { RequestWriteOptions } from '@floe/wire/dialect';
import { compileModelPatterns } from '../core/model-pattern.ts';
import {
  compileModelMatcher,
  createDialectSupport,
  type DialectSupport,
  fillPlaceholders,
} from './dialect-support.ts';
import { createOpaquePaths, type OpaquePaths } from './opaque-paths.ts';
import type { OutboundConnectionOptions } from './outbound-connections.ts';
import { createProviderPriceLookup, type PricingSettings } from './price-lookup.ts';
import type { Price } from './prices.ts';
import type { Dialect, ProviderDefinition, ResolvedProviderUrls } from './provider-definition.ts';
import type { SigningConfig } from './signing/signing-config.ts';

/** The secret of a provider credential, and its weight. */
export interface ProviderCredential {
  readonly name: string;
  /** Empty for providers without authentication. */
  readonly secret: string;
  readonly weight: number;
  /** Name and value of the header, if they differ from the provider definition. */
  readonly header?: readonly [name: string, value: string];
}

/** The timeouts of a request to a provider, in milliseconds. */
export interface UpstreamTimeouts {
  readonly connectMs: number;
  /** From the established connection to the first byte of the response. */
  readonly headersMs: number;
  /** From the first byte to the first content. */
  readonly firstTokenMs: number;
  /** Maximum time between two bytes. */
  readonly idleMs: number;
  /** From the acceptance of the request to the last byte of the response. */
  readonly totalMs: number;
}

/** When a breaker opens and how long it stays open, from the provider's `breaker` settings. */
export interface BreakerSettings {
  /** Whether failures open the breaker. Forced states and the retry budget apply even if they do not. */
  readonly enabled: boolean;
  /** Number of consecutive failures that open the breaker. */
  readonly consecutiveFailures: number;
  /** Share of failed calls in 30 s that opens the breaker. Requires at least 10 calls. */
  readonly errorRate: number;
  /** Milliseconds after which a first token counts as slow. If most are slow, the breaker opens. */
  readonly slowFirstTokenMs: number;
  /** Duration of the first open state in ms. It doubles with each consecutive open state, up to 20 s. */
  readonly openMs: number;
}

/** The breaker settings of a provider that has none configured. */
export const DEFAULT_BREAKER_SETTINGS: BreakerSettings = {
  enabled: true,
  consecutiveFailures: 5,
  errorRate: 0.5,
  slowFirstTokenMs: 60_000,
  openMs: 5_000,
};

/** The settings of one of an organization's providers. */
export interface ProviderSettings {
  readonly id: string;
  /** The organization of the provider. Providers of different organizations share no connections. */
  readonly orgId?: string | undefined;
  readonly definition: ProviderDefinition;
  /** The base URL, including the path prefix, without a trailing slash. */
  readonly baseUrl: string;
  readonly credentials: readonly ProviderCredential[];
  /** The allowlist. `*` matches any characters. */
  readonly models: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  /** Members that are set in every request body, with their JSON text. */
  readonly body: Readonly<Record<string, string>>;
  readonly timeouts: UpstreamTimeouts;
  readonly breaker?: BreakerSettings;
  readonly apiVersion?: string | undefined;
  /** The provider's own model names, by model pattern. */
  readonly deployments?: Readonly<Record<string, string>>;
  /** Dialects that the provider supports, if they differ from those of the provider definition. */
  readonly dialects?: readonly Dialect[] | undefined;
  readonly region?: string | undefined;
  readonly project?: string | undefined;
  /** Whether requests are sent with the caller's own credential instead of a configured one. */
  readonly usesCallerCredential?: boolean;
  /** How to sign requests, for providers that do not use an API key. */
  readonly signing?: SigningConfig | undefined;
  readonly via?: ((origin: string) => OutboundConnectionOptions | undefined) | undefined;
  /** The sources of prices. If they are absent, prices are unknown. */
  readonly pricing?: Omit<PricingSettings, 'catalogName'> | undefined;
}

/** A configured provider. Values that every request needs are precomputed. */
export interface Provider extends DialectSupport, OpaquePaths {
  readonly id: string;
  readonly orgId: string | undefined;
  readonly definition: ProviderDefinition;
  readonly origin: string;
  readonly timeouts: UpstreamTimeouts;
  readonly breaker: BreakerSettings;
  /** The credentials. With `usesCallerCredential`, a single placeholder. */
  readonly credentials: readonly ProviderCredential[];
  /** The configured allowlist patterns, for display. */
  readonly models: readonly string[];
  readonly body: readonly (readonly [name: string, json: string])[];
  allows(model: string): boolean;
  hasThinkTags(model: string): boolean;
  /**
   * Returns the price of a model. Returns null if the price is unknown. Null never means that the model is
   * free.
   */
  priceOf(model: string): Price | null;
  /** Returns the provider's own name of a model. */
  upstreamModel(model: string): string;
  /**
   * Returns options for writing a translated request. `model` is the id that the client requested, because
   * the name of a deployment may not identify the model.
   */
  optionsFor(model: string): RequestWriteOptions;
  /** URLs of the provider's model lists. Empty if it has none, or if no credential for them is configured. */
  readonly modelLists: readonly { readonly origin: string; readonly path: string }[];
  /** Proxy and certificates for the provider's origin. Undefined if none are configured. */
  readonly via: OutboundConnectionOptions | undefined;
  readonly usesCallerCredential: boolean;
  /** Returns how to sign requests; undefined if a header contains the credential instead. */
  signingFor(credential: ProviderCredential): SigningConfig | undefined;
  /** Returns the next credential of the rotation. Each credential is returned in proportion to its weight. */
  nextCredential(): ProviderCredential;
  /** Returns the credential with this name, or the first one if there is none with this name. */
  credential(name?: string): ProviderCredential;
  /** Returns the request headers as a flat list: content headers, credential and configured headers. */
  headersFor(credential: ProviderCredential): readonly string[];
  /** Returns the secret header values: the credential and the configured headers. */
  secretsFor(credential: ProviderCredential): readonly string[];
  /** Returns a hash that identifies the provider and the credential. Seals are sent only to this origin. */
  sealOrigin(credential: ProviderCredential): string;
}

const NO_CREDENTIAL: ProviderCredential = { name: 'none', secret: '', weight: 1 };
/** Stands for the credential that each request brings itself. */
const CALLER_CREDENTIAL: ProviderCredential = { name: 'caller', secret: '', weight: 1 };

const USER_AGENT = 'floe/0.1';

/** Creates a provider from its settings. */
export function createProvider(settings: ProviderSettings): Provider {
  const { definition, signing, usesCallerCredential = false } = settings;
  const credentials = usesCallerCredential ? [CALLER_CREDENTIAL] : settings.credentials;
  const address: ResolvedProviderUrls = definition.address?.(settings.baseUrl, settings) ?? {
    base: settings.baseUrl,
  };
  const places = { region: settings.region, project: settings.project };
  const base = new URL(fillPlaceholders(address.base, places));
  const origin = base.protocol === 'sandbox:' ? address.base : base.origin;
  const upstreamModel = deploymentNames(settings.deployments ?? {});
  const speaks = address.dialectPaths ?? definition.dialectPaths;
  const prefix = pathPrefix(base);
  const { dialects } = settings;
  const { query } = address;
  const headers = new Map(credentials.map((credential) => [credential, buildHeaders(settings, credential)]));
  const origins = new Map(
    credentials.map((credential) => [credential, sealOriginOf(settings.id, credential)]),
  );
  const lists = [definition.modelListPaths ?? []]
    .flat()
    .map((path) => modelListLocation(address, base, origin, fillPlaceholders(path, places)));
  return {
    ...createDialectSupport({
      definition,
      dialectPaths: speaks,
      dialects,
      prefix,
      query,
      placeholders: places,
      upstreamModel,
    }),
    ...createOpaquePaths({ definition, dialectPaths: speaks, prefix, query, upstreamModel }),
    id: settings.id,
    orgId: settings.orgId,
    definition,
    origin,
    timeouts: settings.timeouts,
    breaker: settings.breaker ?? DEFAULT_BREAKER_SETTINGS,
    credentials,
    models: settings.models,
    body: Object.entries(settings.body),
    allows: compileModelPatterns(settings.models),
    hasThinkTags: compileModelPatterns(definition.thinkTags ?? []),
    priceOf: createProviderPriceLookup(definition.priceCatalogName, settings.pricing, upstreamModel),
    upstreamModel,
    optionsFor: optionsByModel(definition, upstreamModel),
    modelLists: usesCallerCredential ? [] : lists,
    via: base.protocol === 'sandbox:' ? undefined : settings.via?.(origin),
    usesCallerCredential,
    signingFor: (credential) => (credential.secret === '' && !usesCallerCredential ? signing : undefined),
    nextCredential: weightedRotation(credentials),
    credential: (name) => credentials.find((one) => one.name === name) ?? credentials[0] ?? NO_CREDENTIAL,
    headersFor: (credential) => headers.get(credential) ?? buildHeaders(settings, credential),
    secretsFor: (credential) =>
      headerSecrets(credential, headers.get(credential) ?? buildHeaders(settings, credential)),
    sealOrigin: (credential) => origins.get(credential) ?? sealOriginOf(settings.id, credential),
  };
}

function modelListLocation(
  { listBase }: ResolvedProviderUrls,
  base: URL,
  origin: string,
  path: string,
): Provider['modelLists'][number] {
  if (listBase === undefined) return { origin, path: pathPrefix(base) + path };
  const root = new URL(listBase);
  return { origin: root.origin, path: pathPrefix(root) + path };
}

function pathPrefix(base: URL): string {
  return base.pathname.replace(/\/+$/, '');
}

function deploymentNames(deployments: Readonly<Record<string, string>>): (model: string) => string {
  const entries = Object.entries(deployments).map(([pattern, name]) => ({
    matches: compileModelPatterns([pattern]),
    name,
  }));
  if (entries.length === 0) return (model) => model;
  return (model) => entries.find((entry) => entry.matches(model))?.name ?? model;
}

function optionsByModel(
  definition: ProviderDefinition,
  upstreamModel: (model: string) => string,
): (model: string) => RequestWriteOptions {
  const base: RequestWriteOptions = definition.streamUsage === 'forbidden' ? { streamUsage: false } : {};
  const quirks = (definition.quirks ?? []).map(({ models, options }) => ({
    holdsFor: models ? compileModelMatcher(models, upstreamModel) : () => true,
    options,
  }));
  return (model) => {
    let options = base;
    for (const quirk of quirks) if (quirk.holdsFor(model)) options = { ...options, ...quirk.options };
    return options;
  };
}

function buildHeaders(settings: ProviderSettings, credential: ProviderCredential): readonly string[] {
  const flat = ['content-type', 'application/json', 'accept-encoding', 'identity', 'user-agent', USER_AGENT];
  const { auth } = settings.definition;
  const named = auth.type === 'header' || auth.type === 'google' ? auth.name : undefined;
  if (credential.header !== undefined) flat.push(...credential.header);
  else if (credential.secret !== '' && named !== undefined) flat.push(named, credential.secret);
  else if (credential.secret !== '') flat.push('authorization', `Bearer ${credential.secret}`);
  for (const [name, value] of Object.entries(settings.headers)) flat.push(name.toLowerCase(), value);
  return flat;
}

/** Returns the seal origin of a credential. Packed seals contain it, so it has only word characters. */
function sealOriginOf(id: string, credential: ProviderCredential): string {
  return createHash('sha256').update(`${id}\n${credential.secret}`).digest('hex').slice(0, 16);
}

/** Creates a smooth weighted round robin. It returns each credential in proportion to its weight. */
function weightedRotation(credentials: readonly ProviderCredential[]): () => ProviderCredential {
  const first = credentials[0] ?? NO_CREDENTIAL;
  if (credentials.length <= 1) return () => first;
  const total = credentials.reduce((sum, credential) => sum + credential.weight, 0);
  const scores = credentials.map((credential) => ({ credential, score: 0 }));
  return () => {
    let best = scores[0] ?? { credential: first, score: 0 };
    for (const entry of scores) {
      entry.score += entry.credential.weight;
      if (entry.score > best.score) best = entry;
    }
    best.score -= total;
    return best.credential;
  };
}

/** Matches names of headers that contain secrets. */
const SECRET_HEADER = /auth|key|token|secret|cookie|password/i;
/** Minimum length of a header value that is treated as a secret. */
const MIN_SECRET_CHARACTERS = 8;

/**
 * Returns the credential and the values of the configured headers, with and without a scheme such as
 * `Bearer`.
 */
function headerSecrets({ secret }: ProviderCredential, flat: readonly string[]): string[] {
  const values = [secret];
  for (let at = 0; at < flat.length; at += 2) {
    const value = flat[at + 1] ?? '';
    if (SECRET_HEADER.test(flat[at] ?? '')) values.push(value, value.replace(/^\S+\s+/, ''));
  }
  return [...new Set(values.filter(({ length }) => length >= MIN_SECRET_CHARACTERS))];
}
