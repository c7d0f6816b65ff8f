import type { OrgConfig, RouteConfig } from '@floe/contract/config';
import { OrgSchema } from '@floe/contract/config/org';
import { compileModelPatterns } from '../core/model-pattern.ts';
import {
  compileLimitsAndBudgets,
  toConfiguredLimitOrBudget,
} from '../guardrails/compile-limits-and-budgets.ts';
import { compilePolicies } from '../guardrails/policies/policies.ts';
import {
  NO_STORED_LIMITS_AND_BUDGETS,
  type StoredLimitsAndBudgets,
} from '../guardrails/stored-limits-and-budgets.ts';
import type { Provider } from '../providers/configured-provider.ts';
import { EMPTY_PRICE_CATALOG } from '../providers/price-catalog.ts';
import type { PriceCatalog } from '../providers/prices.ts';
import {
  createProvidersFromConfig,
  createProvidersFromEnvironment,
  type ProviderCreationContext,
  type UnusableProvider,
} from '../providers/providers-from-config.ts';
import { compileBodyStorageSettings } from './bodies/body-storage-settings.ts';
import { compileCacheSettings } from './cache/cache-settings.ts';
import { compileIdeSettings } from './ide/ide-settings.ts';
import type { ApiStyle } from './opaque/resource-reference.ts';
import type { CompiledRoute, OrgCatalog, PassthroughTarget } from './org-catalog.ts';
import { hasApiStyle } from './passthrough/native-path.ts';

/** The catalogs of all organizations, and the problems found in their settings. */
export interface CompiledCatalogs {
  readonly catalogs: ReadonlyMap<string, OrgCatalog>;
  /** Providers that cannot be used, as `org/provider`, with the missing setting. */
  readonly unusable: readonly UnusableProvider[];
  /** Settings that are valid but have no effect in this release, as `org/subject: setting`. */
  readonly unsupportedSettings: readonly string[];
}

/** The data that catalogs need in addition to floe.yaml. */
export interface CatalogSources {
  readonly prices: PriceCatalog;
  readonly stored: StoredLimitsAndBudgets;
  /** Number of cache purges by organization. */
  readonly purges: ReadonlyMap<string, number>;
  /** Stored providers that cannot be read, as `org/provider`. Providers of the environment do not replace them. */
  readonly unreadableProviders: ReadonlySet<string>;
}

const NO_SOURCES: CatalogSources = {
  prices: EMPTY_PRICE_CATALOG,
  stored: NO_STORED_LIMITS_AND_BUDGETS,
  purges: new Map(),
  unreadableProviders: new Set(),
};

/**
 * Builds one catalog per organization. `environmentOrg` is the organization that also gets the providers that
 * environment variables define; null if floe.yaml defines all providers.
 */
export function compileCatalogs(
  configured: readonly OrgConfig[],
  environmentOrg: string | null,
  world: ProviderCreationContext,
  { prices, stored, purges, unreadableProviders }: CatalogSources = NO_SOURCES,
): CompiledCatalogs {
  const missing = environmentOrg !== null && !configured.some(({ id }) => id === environmentOrg);
  const orgs = missing ? [...configured, OrgSchema.parse({ id: environmentOrg })] : configured;
  const catalogs = new Map<string, OrgCatalog>();
  const unusable: UnusableProvider[] = [];
  const unsupportedSettings: string[] = [];
  for (const org of orgs) {
    const own = { ...world, orgId: org.id };
    const found = createProvidersFromConfig(org.providers, own, prices);
    unusable.push(...found.unusable.map(({ id, reason }) => ({ id: `${org.id}/${id}`, reason })));
    const given = org.id === environmentOrg ? createProvidersFromEnvironment(own, prices) : [];
    const providers = indexById([
      ...given.filter(
        ({ id }) =>
          !unreadableProviders.has(`${org.id}/${id}`) && !org.providers.some((own) => own.id === id),
      ),
      ...found.providers,
    ]);
    const passthrough = {
      a: passthroughTargets('a', org, providers),
      b: passthroughTargets('b', org, providers),
    };
    unsupportedSettings.push(...findMismatchedTargets(passthrough).map((setting) => `${org.id}/${setting}`));
    catalogs.set(org.id, {
      providers,
      passthrough: {
        a: passthrough.a.filter(speaksStyleOf('a')),
        b: passthrough.b.filter(speaksStyleOf('b')),
      },
      resourceScope: org.resource_scope,
      routes: org.routes.filter(isEnabled).map(compileRoute),
      chatReasoning: org.chat_reasoning,
      userHeaders: org.attribution.user_headers.map((name) => name.toLowerCase()),
      ide: compileIdeSettings(org),
      storedResponses: org.stored_responses,
      cache: compileCacheSettings(org, purges.get(org.id) ?? 0),
      bodies: compileBodyStorageSettings(org),
      rules: compileOrgRules(org, stored),
      policies: compilePolicies(org.policies.filter(isEnabled), org.id),
    });
  }
  return { catalogs, unusable, unsupportedSettings };
}

function isEnabled({ enabled }: { readonly enabled: boolean }): boolean {
  return enabled;
}

function compileOrgRules({ id, limits, budgets, timezone }: OrgConfig, stored: StoredLimitsAndBudgets) {
  return compileLimitsAndBudgets(
    mergeRules(limits.map(toConfiguredLimitOrBudget), stored.limits(id)),
    mergeRules(budgets.map(toConfiguredLimitOrBudget), stored.budgets(id)),
    timezone,
  );
}

/**
 * Returns the rules of floe.yaml and the stored ones. A limit or budget of floe.yaml replaces a stored one
 * with the same id.
 */
function mergeRules<Rule extends { readonly id: string }>(
  file: readonly Rule[],
  stored: readonly Rule[],
): Rule[] {
  const taken = new Set(file.map((rule) => rule.id));
  return [...file, ...stored.filter((rule) => !taken.has(rule.id))];
}

function indexById(providers: readonly Provider[]): ReadonlyMap<string, Provider> {
  return new Map(providers.map((provider) => [provider.id, provider]));
}

type Providers = ReadonlyMap<string, Provider>;

/**
 * Returns the targets of a passthrough surface: the configured ones, or the only provider that supports the
 * style natively.
 */
function passthroughTargets(style: ApiStyle, org: OrgConfig, providers: Providers): PassthroughTarget[] {
  const named = org.passthrough[style];
  if (named.length === 0) return nativeTargets(style, providers);
  return named.flatMap(({ provider: id, model_map }) => {
    const provider = providers.get(id);
    return provider ? [{ provider, modelMap: new Map(Object.entries(model_map)) }] : [];
  });
}

function nativeTargets(style: ApiStyle, providers: Providers): PassthroughTarget[] {
  const native = [...providers.values()].filter(({ definition }) => definition.defaultSurface === style);
  return native.slice(0, 1).map((provider) => ({ provider, modelMap: new Map() }));
}

const speaksStyleOf =
  (style: ApiStyle) =>
  ({ provider }: PassthroughTarget): boolean =>
    hasApiStyle(provider, style);

/** Finds providers of a passthrough surface that do not support its style. */
function findMismatchedTargets(
  passthrough: Readonly<Record<ApiStyle, readonly PassthroughTarget[]>>,
): string[] {
  const styles: readonly ApiStyle[] = ['a', 'b'];
  return styles.flatMap((style) =>
    passthrough[style]
      .filter((target) => !speaksStyleOf(style)(target))
      .map(
        ({ provider }) =>
          `passthrough.${style}: the provider ${provider.id} does not support the API of /gateway/passthrough-${style}`,
      ),
  );
}

/** Builds the in-memory form of a configured route. */
export function compileRoute(route: RouteConfig): CompiledRoute {
  const { connect_ms, headers_ms, first_token_ms, idle_ms, total_ms } = route.timeouts;
  return {
    model: route.model,
    matches: compileModelPatterns([route.model]),
    targets: route.targets.map((target) => target.model),
    weights: route.targets.map((target) => target.weight),
    strategy: route.strategy,
    rescue: route.rescue,
    retries: route.retries,
    timeouts: {
      ...(connect_ms === undefined ? {} : { connectMs: connect_ms }),
      ...(headers_ms === undefined ? {} : { headersMs: headers_ms }),
      ...(first_token_ms === undefined ? {} : { firstTokenMs: first_token_ms }),
      ...(idle_ms === undefined ? {} : { idleMs: idle_ms }),
      ...(total_ms === undefined ? {} : { totalMs: total_ms }),
    },
    chatReasoning: route.chat_reasoning,
    cache: route.cache,
  };
}
