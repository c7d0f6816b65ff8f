import { createHash } from 'node:crypto';
import type { RequestWriteOptions } from '@floe/wire/dialect';
import { compilePatterns } from '../core/pattern.ts';
import {
  createDialectSupport,
  type DialectSupport,
  fillPlaceholders,
  matchModelOrUpstreamName,
} from './dialect-support.ts';
import { createOpaquePaths, type OpaquePaths } from './opaque-paths.ts';
import type { ConnectionOptions } from './outbound.ts';
import { createModelPriceLookup, type PricingSettings } from './price-lookup.ts';
import type { Price } from './prices.ts';
import type { Dialect, ProviderAddress, ProviderSheet } from './provider-sheet.ts';
import type { SigningConfig } from './signing/signing-config.ts';

/** One secret of a provider and its share of the traffic. */
export interface Credential {
  readonly name: string;
  /** Empty for providers that want none. */
  readonly secret: string;
  readonly weight: number;
  /** How it travels, name and value, when that is not the sheet's way. */
  readonly header?: readonly [name: string, value: string];
}

export interface Timeouts {
  readonly connectMs: number;
  /** From the open connection to the first byte of the answer. */
  readonly headersMs: number;
  /** From that byte to the first content. */
  readonly firstTokenMs: number;
  /** Longest silence between two upstream bytes. */
  readonly idleMs: number;
  /** From accepting the request to the last byte, whatever the phase. */
  readonly totalMs: number;
}

/** When a breaker opens, from the provider's `breaker` settings. */
export interface BreakerSettings {
  /** False: no request is kept away by what happened to others, but for forced states and the retry budget. */
  readonly enabled: boolean;
  /** Failures in a row that open it. */
  readonly consecutiveFailures: number;
  /** Share of failed calls in 30 s, from 10 calls on, that opens it. */
  readonly errorRate: number;
  /** A first token later than this is a slow one; mostly slow ones open it. */
  readonly slowFirstTokenMs: number;
  /** How long it stays open the first time; each time in a row doubles it, up to 20 s. */
  readonly openMs: number;
}

/** Breakers of a provider whose settings say nothing. */
export const DEFAULT_BREAKER_SETTINGS: BreakerSettings = {
  enabled: true,
  consecutiveFailures: 5,
  errorRate: 0.5,
  slowFirstTokenMs: 60_000,
  openMs: 5_000,
};

/** What the operator says about one provider of one org. */
export interface ProviderSettings {
  readonly id: string;
  /** Whose connections its requests may share; absent: everyone's. */
  readonly pool?: string | undefined;
  readonly sheet: ProviderSheet;
  /** With the path prefix, without a trailing slash. */
  readonly baseUrl: string;
  readonly credentials: readonly Credential[];
  /** Allowlist; `*` matches anything. */
  readonly models: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  /** Members set in every request body, as JSON text. */
  readonly body: Readonly<Record<string, string>>;
  readonly timeouts: Timeouts;
  readonly breaker?: BreakerSettings;
  readonly apiVersion?: string | undefined;
  /** Model pattern to the name the upstream knows it by. */
  readonly deployments?: Readonly<Record<string, string>>;
  /** Dialects it speaks natively, where the operator knows better than the sheet. */
  readonly dialects?: readonly Dialect[] | undefined;
  readonly region?: string | undefined;
  readonly project?: string | undefined;
  /** The credential is the caller's own; none of ours is ever sent. */
  readonly usesCallerCredential?: boolean;
  /** Who signs requests that carry no key. */
  readonly signing?: SigningConfig | undefined;
  readonly via?: ((origin: string) => ConnectionOptions | undefined) | undefined;
  /** What its answers cost; absent: nobody knows. */
  readonly pricing?: Omit<PricingSettings, 'bookName'> | undefined;
}

/** A provider ready for use: everything a request needs is computed once. */
export interface Provider extends DialectSupport, OpaquePaths {
  readonly id: string;
  readonly pool: string | undefined;
  readonly sheet: ProviderSheet;
  readonly origin: string;
  readonly timeouts: Timeouts;
  readonly breaker: BreakerSettings;
  /** One that stands for the caller's own where `usesCallerCredential`. */
  readonly credentials: readonly Credential[];
  /** Allowlist patterns as configured, for listings. */
  readonly models: readonly string[];
  readonly body: readonly (readonly [name: string, json: string])[];
  allows(model: string): boolean;
  hasThinkTags(model: string): boolean;
  /** What a model costs; null when nobody knows, which never means free. */
  priceOf(model: string): Price | null;
  /** The name the upstream knows a model by. */
  upstreamModel(model: string): string;
  /**
   * Facts about a model that change how a translated request is written. `model` is the id asked for: a
   * deployment's name may tell nothing.
   */
  optionsFor(model: string): RequestWriteOptions;
  /** Addresses of its model lists; none when there is nothing to ask, or nobody to ask as. */
  readonly modelLists: readonly { readonly origin: string; readonly path: string }[];
  /** Proxy, authorities and client certificate for its origin. */
  readonly via: ConnectionOptions | undefined;
  readonly usesCallerCredential: boolean;
  /** Who signs a request with this credential; undefined when the credential is in its headers. */
  signingFor(credential: Credential): SigningConfig | undefined;
  /** The next credential, in proportion to the weights. */
  nextCredential(): Credential;
  /** The credential of this name; the first one for none, or when it is gone. */
  credential(name?: string): Credential;
  /** Request headers, flat: content, credential, the operator's own. */
  headersFor(credential: Credential): readonly string[];
  /** Values of headers that are secret: the credential and the operator's own headers. */
  secretsFor(credential: Credential): readonly string[];
  /** Names provider and credential without telling them: seals go back only to where they were made. */
  sealOrigin(credential: Credential): string;
}

const NO_CREDENTIAL: Credential = { name: 'none', secret: '', weight: 1 };
/** Stands for the credential that each request brings along. */
const CALLER_CREDENTIAL: Credential = { name: 'caller', secret: '', weight: 1 };

const USER_AGENT = 'floe/0.1';

export function configureProvider(settings: ProviderSettings): Provider {
  const { sheet, signing, usesCallerCredential = false } = settings;
  const credentials = usesCallerCredential ? [CALLER_CREDENTIAL] : settings.credentials;
  const address: ProviderAddress = sheet.address?.(settings.baseUrl, settings) ?? { base: settings.baseUrl };
  const places = { region: settings.region, project: settings.project };
  const base = new URL(fillPlaceholders(address.base, places));
  const origin = base.protocol === 'sandbox:' ? address.base : base.origin;
  const upstreamModel = deploymentNames(settings.deployments ?? {});
  const speaks = address.dialectPaths ?? sheet.dialectPaths;
  const prefix = pathPrefix(base);
  const { dialects } = settings;
  const { query } = address;
  const headers = new Map(credentials.map((credential) => [credential, buildHeaders(settings, credential)]));
  const origins = new Map(
    credentials.map((credential) => [credential, sealOriginOf(settings.id, credential)]),
  );
  const lists = [sheet.modelListPaths ?? []]
    .flat()
    .map((path) => modelListLocation(address, base, origin, fillPlaceholders(path, places)));
  return {
    ...createDialectSupport({
      sheet,
      dialectPaths: speaks,
      dialects,
      prefix,
      query,
      placeholders: places,
      upstreamModel,
    }),
    ...createOpaquePaths({ sheet, dialectPaths: speaks, prefix, query, upstreamModel }),
    id: settings.id,
    pool: settings.pool,
    sheet,
    origin,
    timeouts: settings.timeouts,
    breaker: settings.breaker ?? DEFAULT_BREAKER_SETTINGS,
    credentials,
    models: settings.models,
    body: Object.entries(settings.body),
    allows: compilePatterns(settings.models),
    hasThinkTags: compilePatterns(sheet.thinkTags ?? []),
    priceOf: createModelPriceLookup(sheet.priceBookName, settings.pricing, upstreamModel),
    upstreamModel,
    optionsFor: optionsByModel(sheet, upstreamModel),
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
  { listBase }: ProviderAddress,
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
    matches: compilePatterns([pattern]),
    name,
  }));
  if (entries.length === 0) return (model) => model;
  return (model) => entries.find((entry) => entry.matches(model))?.name ?? model;
}

function optionsByModel(
  sheet: ProviderSheet,
  upstreamModel: (model: string) => string,
): (model: string) => RequestWriteOptions {
  const base: RequestWriteOptions = sheet.streamUsage === 'forbidden' ? { streamUsage: false } : {};
  const quirks = (sheet.quirks ?? []).map(({ models, options }) => ({
    holdsFor: models ? matchModelOrUpstreamName(models, upstreamModel) : () => true,
    options,
  }));
  return (model) => {
    let options = base;
    for (const quirk of quirks) if (quirk.holdsFor(model)) options = { ...options, ...quirk.options };
    return options;
  };
}

function buildHeaders(settings: ProviderSettings, credential: Credential): readonly string[] {
  const flat = ['content-type', 'application/json', 'accept-encoding', 'identity', 'user-agent', USER_AGENT];
  const { auth } = settings.sheet;
  const named = auth.type === 'header' || auth.type === 'google' ? auth.name : undefined;
  if (credential.header !== undefined) flat.push(...credential.header);
  else if (credential.secret !== '' && named !== undefined) flat.push(named, credential.secret);
  else if (credential.secret !== '') flat.push('authorization', `Bearer ${credential.secret}`);
  for (const [name, value] of Object.entries(settings.headers)) flat.push(name.toLowerCase(), value);
  return flat;
}

/** Word characters only, for it travels inside packed seals. */
function sealOriginOf(id: string, credential: Credential): string {
  return createHash('sha256').update(`${id}\n${credential.secret}`).digest('hex').slice(0, 16);
}

/** Smooth weighted round robin: over any run of picks each credential gets its share, evenly spread. */
function weightedRotation(credentials: readonly Credential[]): () => Credential {
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

/** Names of headers that carry secrets. */
const SECRET_HEADER = /auth|key|token|secret|cookie|password/i;
/** Shorter values are words, not secrets. */
const MIN_SECRET_CHARACTERS = 8;

/** The credential, and what the operator's own headers hold, with and without a scheme before it (`Bearer`). */
function headerSecrets({ secret }: Credential, flat: readonly string[]): string[] {
  const values = [secret];
  for (let at = 0; at < flat.length; at += 2) {
    const value = flat[at + 1] ?? '';
    if (SECRET_HEADER.test(flat[at] ?? '')) values.push(value, value.replace(/^\S+\s+/, ''));
  }
  return [...new Set(values.filter(({ length }) => length >= MIN_SECRET_CHARACTERS))];
}
