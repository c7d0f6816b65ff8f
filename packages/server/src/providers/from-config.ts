import type { ProviderConfig } from '@floe/contract/config';
import { type Credential, configureProvider, type Provider } from './configured.ts';
import { identityOf, signingOf } from './identity.ts';
import { type OutboundSettings, OutboundUnusable, resolveOutbound } from './outbound.ts';
import { NO_PRICES } from './price-catalog.ts';
import type { PriceBook } from './prices.ts';
import type { ProviderSheet } from './provider.ts';
import { SHEETS, sheetOf } from './sheets.ts';

/** Looks an environment variable up; undefined when it is unset or empty. */
export type Variable = (name: string) => string | undefined;

/** What providers of the file need beside their own entry. */
export interface ProviderWorld {
  readonly variable: Variable;
  /** Whose providers they are: organizations share no connections. */
  readonly pool?: string;
  /** The file's own `outbound`. */
  readonly outbound: OutboundSettings;
  /** Whether a provider may use what the machine lends: its variables, and who it is in a cloud. Absent: each may. */
  readonly mayBorrow?: (config: ProviderConfig) => boolean;
}

/** A provider of the file that cannot be used, and what it lacks. */
export interface Unusable {
  readonly id: string;
  readonly reason: string;
}

/**
 * The enabled providers of an org. One that names no credential takes it from the usual environment
 * variable of its kind. One that cannot be used is left out and named in `unusable`; the others go on.
 */
export function providersFromConfig(
  configs: readonly ProviderConfig[],
  world: ProviderWorld,
  book: PriceBook = NO_PRICES,
) {
  const providers: Provider[] = [];
  const unusable: Unusable[] = [];
  for (const config of configs) {
    if (!config.enabled) continue;
    try {
      providers.push(fromConfig(config, world, book));
    } catch (error) {
      if (!(error instanceof OutboundUnusable || error instanceof SettingMissing)) throw error;
      unusable.push({ id: config.id, reason: error.message });
    }
  }
  return { providers, unusable };
}

function nothingLent(): undefined {
  return undefined;
}

class SettingMissing extends Error {
  override readonly name = 'SettingMissing';
}

function fromConfig(
  config: ProviderConfig,
  { variable: lent, pool, outbound, mayBorrow }: ProviderWorld,
  book: PriceBook,
): Provider {
  const variable = (mayBorrow?.(config) ?? true) ? lent : nothingLent;
  const sheet = sheetOf(config.kind);
  const baseUrl = config.base_url ?? sheet?.baseUrl;
  if (!sheet || baseUrl === undefined) throw new SettingMissing(`kind ${config.kind} needs a base_url`);
  const { timeouts, breaker, client_cert } = config;
  const ways = resolveOutbound(
    [...(config.outbound ? [config.outbound] : []), { ...outbound, client_cert }],
    variable,
  );
  const region = settingOf('region', config, sheet, variable);
  const project = settingOf('project', config, sheet, variable);
  const named = config.credentials.map(({ name, api_key, weight }) => ({ name, secret: api_key, weight }));
  // An identity that is spelled out is meant, whatever key the environment holds for others.
  const isNamed = named.length > 0 || config.identity !== undefined || config.role_arn !== undefined;
  return configureProvider({
    id: config.id,
    pool,
    sheet,
    baseUrl,
    credentials: isNamed ? named : environmentCredential(sheet, variable),
    models: config.models,
    headers: config.headers,
    body: Object.fromEntries(
      Object.entries(config.body).map(([name, value]) => [name, JSON.stringify(value)]),
    ),
    apiVersion: config.api_version,
    deployments: config.deployments,
    dialects: config.dialects,
    region,
    project,
    pricing: {
      billing: config.billing,
      multiplier: config.price_multiplier,
      overrides: config.prices,
      book,
    },
    usesCaller: config.credential_source === 'caller',
    signing: signingOf(identityOf(sheet, config, region, variable), ways),
    via: (origin) => ways.via(origin),
    breaker: {
      enabled: breaker.enabled,
      consecutiveFailures: breaker.consecutive_failures,
      errorRate: breaker.error_rate,
      slowFirstTokenMs: breaker.slow_first_token_ms,
      openMs: breaker.open_ms,
    },
    timeouts: {
      connectMs: timeouts.connect_ms,
      headersMs: timeouts.headers_ms,
      firstTokenMs: timeouts.first_token_ms,
      idleMs: timeouts.idle_ms,
      totalMs: timeouts.total_ms,
    },
  });
}

/** The setting, or what the sheet lets stand in for it. */
function settingOf(
  name: 'region' | 'project',
  config: Pick<ProviderConfig, 'region' | 'project'>,
  sheet: ProviderSheet,
  variable: Variable,
): string | undefined {
  const need = sheet.needs?.[name];
  const value = config[name] ?? firstSet(need?.variables ?? [], variable) ?? need?.otherwise;
  if (need && value === undefined)
    throw new SettingMissing(`\`${name}\` is not set, nor is ${need.variables.join(' or ')}`);
  return value;
}

/** Defaults of the product page, "Routes". */
const TIMEOUTS = {
  connectMs: 5_000,
  headersMs: 600_000,
  firstTokenMs: 300_000,
  idleMs: 300_000,
  totalMs: 3_600_000,
};

/**
 * What an installation without any configuration may use: the sandbox, and every provider whose usual
 * environment variable is set, with all its models.
 */
export function providersFromEnvironment(
  { variable, pool, outbound }: ProviderWorld,
  book: PriceBook = NO_PRICES,
): Provider[] {
  const found: Provider[] = [];
  const ways = resolveOutbound([outbound], variable);
  for (const sheet of SHEETS) {
    const url = firstSet(sheet.urlVariables ?? [], variable);
    const key = firstSet(sheet.keyVariables, variable);
    const baseUrl = url ?? sheet.baseUrl;
    const wanted = sheet.auth.type === 'none' || url !== undefined || key !== undefined;
    if (!wanted || baseUrl === undefined || !hasSettings(sheet, variable)) continue;
    const region = settingOf('region', {}, sheet, variable);
    found.push(
      configureProvider({
        id: sheet.kind,
        pool,
        sheet,
        baseUrl: baseUrl.replace(/\/+$/, ''),
        credentials: environmentCredential(sheet, variable),
        models: ['*'],
        headers: {},
        body: {},
        region,
        project: settingOf('project', {}, sheet, variable),
        pricing: { billing: 'metered', multiplier: 1, overrides: {}, book },
        signing: signingOf(identityOf(sheet, {}, region, variable), ways),
        via: (origin) => ways.via(origin),
        timeouts: TIMEOUTS,
      }),
    );
  }
  return found;
}

function hasSettings(sheet: ProviderSheet, variable: Variable): boolean {
  return Object.values(sheet.needs ?? {}).every(
    ({ variables, otherwise }) => otherwise !== undefined || firstSet(variables, variable) !== undefined,
  );
}

function environmentCredential(sheet: ProviderSheet, variable: Variable): Credential[] {
  const secret = firstSet(sheet.keyVariables, variable);
  return secret === undefined ? [] : [{ name: 'environment', secret, weight: 1 }];
}

function firstSet(names: readonly string[], variable: Variable): string | undefined {
  for (const name of names) {
    const value = variable(name);
    if (value !== undefined && value !== '') return value;
  }
  return undefined;
}
