import { createHash } from 'node:crypto';
import type { UpstreamOptions } from '@floe/wire/dialect';
import { compilePatterns, type Matcher } from '../core/pattern.ts';
import type { Price } from './prices.ts';
import { type PricingSettings, pricingByModel } from './pricing.ts';
import type { Address, Dialect, Path, Paths, ProviderSheet } from './provider.ts';

/** One secret of a provider and its share of the traffic. */
export interface Credential {
  readonly name: string;
  /** Empty for providers that want none. */
  readonly secret: string;
  readonly weight: number;
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
export const DEFAULT_BREAKER: BreakerSettings = {
  enabled: true,
  consecutiveFailures: 5,
  errorRate: 0.5,
  slowFirstTokenMs: 60_000,
  openMs: 5_000,
};

/** What the operator says about one provider of one org. */
export interface ProviderSettings {
  readonly id: string;
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
  /** What its answers cost; absent: nobody knows. */
  readonly pricing?: Omit<PricingSettings, 'bookName'> | undefined;
}

/** A provider ready for use: everything a request needs is computed once. */
export interface Provider {
  readonly id: string;
  readonly sheet: ProviderSheet;
  readonly origin: string;
  readonly timeouts: Timeouts;
  readonly breaker: BreakerSettings;
  readonly credentials: readonly Credential[];
  /** Allowlist patterns as configured, for listings. */
  readonly models: readonly string[];
  readonly body: readonly (readonly [name: string, json: string])[];
  /** Dialects it speaks. */
  readonly dialects: readonly Dialect[];
  /** The one to translate into for a model, as asked for. */
  dialectFor(model: string): Dialect;
  allows(model: string): boolean;
  hasThinkTags(model: string): boolean;
  /** What a model costs; null when nobody knows, which never means free. */
  priceOf(model: string): Price | null;
  /** The name the upstream knows a model by. */
  upstreamModel(model: string): string;
  /** Path and query of a dialect it speaks. `model` is the upstream's name. */
  pathOf(dialect: Dialect, model: string, stream: boolean): string;
  /** Path and query where vectors are asked for. `model` is the id asked for. */
  embeddingsPath(model: string): string;
  /** Path and query of an OpenAI-shaped path such as `images/generations`. `model` is '' where none is named. */
  opaquePath(path: string, model: string): string;
  /**
   * Facts about a model that change how a translated request is written. `model` is the id asked for: a
   * deployment's name may tell nothing.
   */
  optionsFor(model: string): UpstreamOptions;
  readonly modelsPath: string | undefined;
  /** The next credential, in proportion to the weights. */
  nextCredential(): Credential;
  /** The credential of this name; the first one for none, or when it is gone. */
  credential(name?: string): Credential;
  /** Request headers, flat: content, credential, the operator's own. */
  headersFor(credential: Credential): readonly string[];
  /** Names provider and credential without telling them: seals go back only to where they were made. */
  sealOrigin(credential: Credential): string;
}

const NO_CREDENTIAL: Credential = { name: 'none', secret: '', weight: 1 };

const USER_AGENT = 'floe/0.1';

export function configureProvider(settings: ProviderSettings): Provider {
  const { sheet, credentials } = settings;
  const address: Address = sheet.address?.(settings.baseUrl, settings) ?? { base: settings.baseUrl };
  const base = new URL(address.base);
  const speaks = address.speaks ?? sheet.speaks;
  const dialects = settings.dialects ?? dialectsOf(speaks);
  const upstreamModel = deploymentNames(settings.deployments ?? {});
  const opaquePath = opaquePathsBelow(base, speaks, address.query, upstreamModel);
  const vectors = sheet.embeddings?.path;
  const headers = new Map(credentials.map((credential) => [credential, headersOf(settings, credential)]));
  const origins = new Map(
    credentials.map((credential) => [credential, sealOriginOf(settings.id, credential)]),
  );
  return {
    id: settings.id,
    sheet,
    origin: base.protocol === 'sandbox:' ? address.base : base.origin,
    timeouts: settings.timeouts,
    breaker: settings.breaker ?? DEFAULT_BREAKER,
    models: settings.models,
    body: Object.entries(settings.body),
    credentials,
    dialects,
    dialectFor: preferredDialect(sheet, dialects, upstreamModel),
    allows: compilePatterns(settings.models),
    hasThinkTags: compilePatterns(sheet.thinkTags ?? []),
    priceOf: pricingByModel(sheet.prices, settings.pricing, upstreamModel),
    upstreamModel,
    pathOf: pathsBelow(base, speaks, address.query),
    opaquePath,
    embeddingsPath: (model) =>
      vectors === undefined
        ? opaquePath('embeddings', model)
        : pathnameOf(base) + vectors.replaceAll('{model}', encodeURIComponent(upstreamModel(model))),
    optionsFor: optionsByModel(sheet, upstreamModel),
    modelsPath: sheet.models === undefined ? undefined : pathnameOf(base) + sheet.models,
    nextCredential: weightedRotation(credentials),
    credential: (name) =>
      credentials.find((credential) => credential.name === name) ?? credentials[0] ?? NO_CREDENTIAL,
    headersFor: (credential) => headers.get(credential) ?? headersOf(settings, credential),
    sealOrigin: (credential) => origins.get(credential) ?? sealOriginOf(settings.id, credential),
  };
}

function pathnameOf(base: URL): string {
  return base.pathname.replace(/\/+$/, '');
}

function pathsBelow(base: URL, speaks: Paths, query: string | undefined): Provider['pathOf'] {
  const prefix = pathnameOf(base);
  return (dialect, model, stream) => {
    const spoken: Path = speaks[dialect] ?? DEFAULT_PATHS[dialect];
    const path = typeof spoken === 'string' ? spoken : stream ? spoken.stream : spoken.whole;
    const whole = `${prefix}${path}`.replaceAll('{model}', encodeURIComponent(model));
    return query === undefined ? whole : `${whole}${whole.includes('?') ? '&' : '?'}${query}`;
  };
}

/** Beside Chat, and below a deployment where Chat is, but for things that belong to none. */
function opaquePathsBelow(
  base: URL,
  speaks: Paths,
  query: string | undefined,
  upstreamModel: (model: string) => string,
): Provider['opaquePath'] {
  const chat = typeof speaks.chat === 'string' ? speaks.chat : '';
  const lead = chat.endsWith(DEFAULT_PATHS.chat) ? chat.slice(0, -DEFAULT_PATHS.chat.length) : '';
  return (path, model) => {
    const place = model === '' ? '' : lead.replaceAll('{model}', encodeURIComponent(upstreamModel(model)));
    return `${pathnameOf(base)}${place}/${path}${query === undefined ? '' : `?${query}`}`;
  };
}

/** Where hosts that copy a dialect put it, below a base address that ends in `/v1`. */
const DEFAULT_PATHS = {
  chat: '/chat/completions',
  responses: '/responses',
  messages: '/messages',
  gemini: {
    whole: '/models/{model}:generateContent',
    stream: '/models/{model}:streamGenerateContent?alt=sse',
  },
} as const;

/** In the order the sheet names them. */
function dialectsOf(speaks: Paths): Dialect[] {
  const names: readonly Dialect[] = ['chat', 'responses', 'messages', 'gemini'];
  const order = Object.keys(speaks);
  return names.filter((name) => order.includes(name)).sort((a, b) => order.indexOf(a) - order.indexOf(b));
}

/** A preference for a dialect the operator took away does not count. */
function preferredDialect(
  sheet: ProviderSheet,
  dialects: readonly Dialect[],
  upstreamModel: (model: string) => string,
): (model: string) => Dialect {
  const [first] = dialects;
  if (first === undefined) throw new Error(`${sheet.kind} speaks no dialect`);
  const preferences = (sheet.prefers ?? [])
    .filter(({ dialect }) => dialects.includes(dialect))
    .map(({ models, dialect }) => ({ holdsFor: eitherName(models, upstreamModel), dialect }));
  return (model) => preferences.find(({ holdsFor }) => holdsFor(model))?.dialect ?? first;
}

/** Sheets know models by their public ids; with deployments that is either the id asked for or the upstream's. */
function eitherName(models: readonly string[], upstreamModel: (model: string) => string): Matcher {
  const matches = compilePatterns(models);
  return (model) => matches(model) || matches(upstreamModel(model));
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
): (model: string) => UpstreamOptions {
  const base: UpstreamOptions = sheet.usage === 'forbidden' ? { streamUsage: false } : {};
  const quirks = (sheet.quirks ?? []).map(({ models, options }) => ({
    holdsFor: models ? eitherName(models, upstreamModel) : () => true,
    options,
  }));
  return (model) => {
    let options = base;
    for (const quirk of quirks) if (quirk.holdsFor(model)) options = { ...options, ...quirk.options };
    return options;
  };
}

function headersOf(settings: ProviderSettings, credential: Credential): readonly string[] {
  const flat = ['content-type', 'application/json', 'accept-encoding', 'identity', 'user-agent', USER_AGENT];
  const { auth } = settings.sheet;
  if (credential.secret !== '' && auth.type === 'header') flat.push(auth.name, credential.secret);
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
