import type { ProviderConfig } from '@floe/contract/config';
import { createProvider, type Provider, type ProviderCredential } from './configured-provider.ts';
import {
  OutboundConfigError,
  type OutboundConnectionSettings,
  resolveOutboundConnections,
} from './outbound-connections.ts';
import { EMPTY_PRICE_CATALOG } from './price-catalog.ts';
import type { PriceCatalog } from './prices.ts';
import type { ProviderDefinition } from './provider-definition.ts';
import { findProviderDefinition, PROVIDER_DEFINITIONS } from './provider-definitions.ts';
import { createSigningConfig, resolveSigningIdentity } from './signing-identity.ts';

/** Returns the value of an environment variable, or undefined if it is unset or empty. */
export type EnvironmentLookup = (name: string) => string | undefined;

/** What is needed to create the providers of a configuration, in addition to their settings. */
export interface ProviderCreationContext {
  readonly lookupVariable: EnvironmentLookup;
  /** The organization of the providers. Organizations do not share connections. */
  readonly orgId?: string;
  /** The `outbound` settings of the configuration. */
  readonly outbound: OutboundConnectionSettings;
  /**
   * Returns whether a provider may use environment variables and cloud identities of the machine. If it is
   * absent, every provider may.
   */
  readonly mayUseMachineCredentials?: (config: ProviderConfig) => boolean;
}

/** A provider that cannot be used, and why. */
export interface UnusableProvider {
  readonly id: string;
  readonly reason: string;
}

/**
 * Creates an organization's enabled providers. A provider without a configured credential uses the
 * environment variable for its kind. Providers that cannot be used are returned in `unusable`.
 */
export function createProvidersFromConfig(
  configs: readonly ProviderConfig[],
  environment: ProviderCreationContext,
  book: PriceCatalog = EMPTY_PRICE_CATALOG,
) {
  const providers: Provider[] = [];
  const unusable: UnusableProvider[] = [];
  for (const config of configs) {
    if (!config.enabled) continue;
    try {
      providers.push(providerFromConfig(config, environment, book));
    } catch (error) {
      if (!(error instanceof OutboundConfigError || error instanceof MissingSettingError)) throw error;
      unusable.push({ id: config.id, reason: error.message });
    }
  }
  return { providers, unusable };
}

function noVariable(): undefined {
  return undefined;
}

class MissingSettingError extends Error {
  override readonly name = 'MissingSettingError';
}

function providerFromConfig(
  config: ProviderConfig,
  { lookupVariable, orgId, outbound, mayUseMachineCredentials }: ProviderCreationContext,
  book: PriceCatalog,
): Provider {
  const variable = (mayUseMachineCredentials?.(config) ?? true) ? lookupVariable : noVariable;
  const definition = findProviderDefinition(config.kind);
  const baseUrl = config.base_url ?? definition?.baseUrl;
  if (!definition || baseUrl === undefined)
    throw new MissingSettingError(`a provider of kind ${config.kind} has no default base URL; set base_url`);
  const { timeouts, breaker, client_cert } = config;
  const resolvedOutbound = resolveOutboundConnections(
    [...(config.outbound ? [config.outbound] : []), { ...outbound, client_cert }],
    variable,
  );
  const region = resolveSetting('region', config, definition, variable);
  const project = resolveSetting('project', config, definition, variable);
  const named = config.credentials.map(({ name, api_key, weight }) => ({ name, secret: api_key, weight }));
  // A configured identity takes precedence over an API key in the environment.
  const isNamed = named.length > 0 || config.identity !== undefined || config.role_arn !== undefined;
  return createProvider({
    id: config.id,
    orgId,
    definition,
    baseUrl,
    credentials: isNamed ? named : environmentCredential(definition, variable),
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
    usesCallerCredential: config.credential_source === 'caller',
    signing: createSigningConfig(
      resolveSigningIdentity(definition, config, region, variable),
      resolvedOutbound,
    ),
    via: (origin) => resolvedOutbound.via(origin),
    breaker: {
      enabled: breaker.enabled,
      consecutiveFailures: breaker.consecutive_failures,
      errorRate: breaker.error_rate,
      slowFirstTokenMs: breaker.slow_first_token_ms,
      openMs: breaker.open_ms,
    },
    timeouts: toTimeouts(timeouts),
  });
}

function toTimeouts(config: ProviderConfig['timeouts']) {
  return {
    connectMs: config.connect_ms,
    headersMs: config.headers_ms,
    firstTokenMs: config.first_token_ms,
    idleMs: config.idle_ms,
    totalMs: config.total_ms,
  };
}

/**
 * Returns the configured value of a setting, or else the default of the definition; undefined if there is
 * neither.
 */
function resolveSetting(
  name: 'region' | 'project',
  config: Pick<ProviderConfig, 'region' | 'project'>,
  definition: ProviderDefinition,
  variable: EnvironmentLookup,
): string | undefined {
  const need = definition.requiredSettings?.[name];
  const value = config[name] ?? firstSet(need?.variables ?? [], variable) ?? need?.defaultValue;
  if (need && value === undefined)
    throw new MissingSettingError(
      `the provider requires \`${name}\`; set it${variable === noVariable ? '' : `, or set the environment variable ${need.variables.join(' or ')}`}`,
    );
  return value;
}

/** The default timeouts of providers. */
const DEFAULT_TIMEOUTS = {
  connectMs: 5_000,
  headersMs: 600_000,
  firstTokenMs: 300_000,
  idleMs: 300_000,
  totalMs: 3_600_000,
};

/**
 * Creates the providers for an installation without a configuration: the sandbox, and every provider whose
 * environment variables are set. These providers allow all models.
 */
export function createProvidersFromEnvironment(
  { lookupVariable, orgId, outbound }: ProviderCreationContext,
  book: PriceCatalog = EMPTY_PRICE_CATALOG,
): Provider[] {
  const found: Provider[] = [];
  const ways = resolveOutboundConnections([outbound], lookupVariable);
  for (const definition of PROVIDER_DEFINITIONS) {
    const url = firstSet(definition.urlVariables ?? [], lookupVariable);
    const key = firstSet(definition.keyVariables, lookupVariable);
    const baseUrl = url ?? definition.baseUrl;
    const wanted = definition.auth.type === 'none' || url !== undefined || key !== undefined;
    if (!wanted || baseUrl === undefined || !hasSettings(definition, lookupVariable)) continue;
    const region = resolveSetting('region', {}, definition, lookupVariable);
    found.push(
      createProvider({
        id: definition.kind,
        orgId,
        definition,
        baseUrl: baseUrl.replace(/\/+$/, ''),
        credentials: environmentCredential(definition, lookupVariable),
        models: ['*'],
        headers: {},
        body: {},
        region,
        project: resolveSetting('project', {}, definition, lookupVariable),
        pricing: { billing: 'metered', multiplier: 1, overrides: {}, book },
        signing: createSigningConfig(resolveSigningIdentity(definition, {}, region, lookupVariable), ways),
        via: (origin) => ways.via(origin),
        timeouts: DEFAULT_TIMEOUTS,
      }),
    );
  }
  return found;
}

function hasSettings(definition: ProviderDefinition, variable: EnvironmentLookup): boolean {
  return Object.values(definition.requiredSettings ?? {}).every(
    ({ variables, defaultValue }) =>
      defaultValue !== undefined || firstSet(variables, variable) !== undefined,
  );
}

function environmentCredential(
  definition: ProviderDefinition,
  variable: EnvironmentLookup,
): ProviderCredential[] {
  const secret = firstSet(definition.keyVariables, variable);
  return secret === undefined ? [] : [{ name: 'environment', secret, weight: 1 }];
}

function firstSet(names: readonly string[], variable: EnvironmentLookup): string | undefined {
  for (const name of names) {
    const value = variable(name);
    if (value !== undefined && value !== '') return value;
  }
  return undefined;
}
