import type { ProviderConfig } from '@floe/contract/config';
import { type Credential, configureProvider, type Provider } from './configured.ts';
import { NO_PRICES } from './price-catalog.ts';
import type { PriceBook } from './prices.ts';
import type { ProviderSheet } from './provider.ts';
import { SHEETS, sheetOf } from './sheets.ts';

/** Looks an environment variable up; undefined when it is unset or empty. */
export type Variable = (name: string) => string | undefined;

/**
 * The enabled providers of an org. One that names no credential takes it from the usual environment
 * variable of its kind. Kinds whose data sheet is not there yet are left out and named in `missing`.
 */
export function providersFromConfig(
  configs: readonly ProviderConfig[],
  variable: Variable,
  book: PriceBook = NO_PRICES,
) {
  const providers: Provider[] = [];
  const missing: string[] = [];
  for (const config of configs) {
    const sheet = sheetOf(config.kind);
    const baseUrl = config.base_url ?? sheet?.baseUrl;
    if (!config.enabled) continue;
    if (sheet && baseUrl !== undefined) providers.push(fromConfig(config, sheet, baseUrl, variable, book));
    else missing.push(config.id);
  }
  return { providers, missing };
}

function fromConfig(
  config: ProviderConfig,
  sheet: ProviderSheet,
  baseUrl: string,
  variable: Variable,
  book: PriceBook,
): Provider {
  const { timeouts, breaker } = config;
  const named = config.credentials.map(({ name, api_key, weight }) => ({ name, secret: api_key, weight }));
  return configureProvider({
    id: config.id,
    sheet,
    baseUrl,
    credentials: named.length > 0 ? named : environmentCredential(sheet, variable),
    models: config.models,
    headers: config.headers,
    body: Object.fromEntries(
      Object.entries(config.body).map(([name, value]) => [name, JSON.stringify(value)]),
    ),
    apiVersion: config.api_version,
    deployments: config.deployments,
    dialects: config.dialects,
    pricing: {
      billing: config.billing,
      multiplier: config.price_multiplier,
      overrides: config.prices,
      book,
    },
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
export function providersFromEnvironment(variable: Variable, book: PriceBook = NO_PRICES): Provider[] {
  const found: Provider[] = [];
  for (const sheet of SHEETS) {
    const url = firstSet(sheet.urlVariables ?? [], variable);
    const key = firstSet(sheet.keyVariables, variable);
    const baseUrl = url ?? sheet.baseUrl;
    const wanted = sheet.auth.type === 'none' || url !== undefined || key !== undefined;
    if (!wanted || baseUrl === undefined) continue;
    found.push(
      configureProvider({
        id: sheet.kind,
        sheet,
        baseUrl: baseUrl.replace(/\/+$/, ''),
        credentials: environmentCredential(sheet, variable),
        models: ['*'],
        headers: {},
        body: {},
        pricing: { billing: 'metered', multiplier: 1, overrides: {}, book },
        timeouts: TIMEOUTS,
      }),
    );
  }
  return found;
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
