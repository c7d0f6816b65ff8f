import { compilePatterns } from '../core/pattern.ts';
import type { Dialect, ProviderSheet } from './provider.ts';

/** One secret of a provider and its share of the traffic. */
export interface Credential {
  readonly name: string;
  /** Empty for providers that want none. */
  readonly secret: string;
  readonly weight: number;
}

export interface Timeouts {
  readonly connectMs: number;
  readonly headersMs: number;
  readonly firstTokenMs: number;
  /** Longest silence between two upstream bytes. */
  readonly idleMs: number;
  /** From accepting the request to the last byte, whatever the phase. */
  readonly totalMs: number;
}

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
}

/** A provider ready for use: everything a request needs is computed once. */
export interface Provider {
  readonly id: string;
  readonly sheet: ProviderSheet;
  readonly origin: string;
  readonly timeouts: Timeouts;
  /** Allowlist patterns as configured, for listings. */
  readonly models: readonly string[];
  readonly body: readonly (readonly [name: string, json: string])[];
  allows(model: string): boolean;
  hasThinkTags(model: string): boolean;
  /** Path of a dialect it speaks, the base's prefix included. */
  pathOf(dialect: Dialect): string | undefined;
  readonly modelsPath: string | undefined;
  /** The next credential, in proportion to the weights. */
  nextCredential(): Credential;
  /** Request headers, flat: content, credential, the operator's own. */
  headersFor(credential: Credential): readonly string[];
}

const USER_AGENT = 'floe/0.1';

export function configureProvider(settings: ProviderSettings): Provider {
  const { sheet } = settings;
  const base = new URL(settings.baseUrl);
  const prefix = base.pathname.replace(/\/+$/, '');
  const origin = base.protocol === 'sandbox:' ? settings.baseUrl : base.origin;
  const allows = compilePatterns(settings.models);
  const hasThinkTags = compilePatterns(sheet.thinkTags ?? []);
  const headers = new Map(
    settings.credentials.map((credential) => [credential, headersOf(settings, credential)]),
  );
  return {
    id: settings.id,
    sheet,
    origin,
    timeouts: settings.timeouts,
    models: settings.models,
    body: Object.entries(settings.body),
    allows,
    hasThinkTags,
    pathOf(dialect) {
      const path = sheet.speaks[dialect];
      return path === undefined ? undefined : prefix + path;
    },
    modelsPath: sheet.models === undefined ? undefined : prefix + sheet.models,
    nextCredential: weightedRotation(settings.credentials),
    headersFor: (credential) => headers.get(credential) ?? headersOf(settings, credential),
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

/** Smooth weighted round robin: over any run of picks each credential gets its share, evenly spread. */
function weightedRotation(credentials: readonly Credential[]): () => Credential {
  const first = credentials[0] ?? { name: 'none', secret: '', weight: 1 };
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
