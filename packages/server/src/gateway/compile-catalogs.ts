import type { OrgConfig, RouteConfig } from '@floe/contract/config';
import { OrgSchema } from '@floe/contract/config/org';
import { compilePatterns } from '../core/pattern.ts';
import { compileRules, declareFileRule } from '../guardrails/compile-rules.ts';
import { compilePolicies } from '../guardrails/policies/policies.ts';
import { NO_STORED_RULES, type StoredRules } from '../guardrails/stored-rules.ts';
import type { Provider } from '../providers/configured-provider.ts';
import { NO_PRICES } from '../providers/price-catalog.ts';
import type { PriceBook } from '../providers/prices.ts';
import {
  type ProviderEnvironment,
  providersFromConfig,
  providersFromEnvironment,
  type UnusableProvider,
} from '../providers/providers-from-config.ts';
import { compileBodyStorage } from './bodies/body-storage-rules.ts';
import { compileCacheRules } from './cache/cache-rules.ts';
import type { Catalog, CompiledRoute, PassthroughTarget } from './catalog.ts';
import { compileIdeSettings } from './ide/ide-settings.ts';
import type { ApiStyle } from './opaque/resource-reference.ts';
import { supportsApiStyle } from './passthrough/native-path.ts';

export interface CompiledCatalogs {
  readonly catalogs: ReadonlyMap<string, Catalog>;
  /** Providers that are left out, as `org/provider`, and what each lacks. */
  readonly unusable: readonly UnusableProvider[];
  /** Settings that are valid but do nothing in this release, as `org/subject: setting`. */
  readonly unsupportedSettings: readonly string[];
}

/** What the file does not say. */
export interface CatalogSources {
  readonly prices: PriceBook;
  readonly stored: StoredRules;
  /** How often each org purged its cache. */
  readonly purges: ReadonlyMap<string, number>;
}

const NO_SOURCES: CatalogSources = { prices: NO_PRICES, stored: NO_STORED_RULES, purges: new Map() };

/**
 * The gateway's slice of the snapshot: one catalog per org. `environmentOrg` is the org that the environment gives
 * providers to, beside its own; null when floe.yaml says what there is.
 */
export function compileCatalogs(
  configured: readonly OrgConfig[],
  environmentOrg: string | null,
  world: ProviderEnvironment,
  { prices, stored, purges }: CatalogSources = NO_SOURCES,
): CompiledCatalogs {
  const missing = environmentOrg !== null && !configured.some(({ id }) => id === environmentOrg);
  const orgs = missing ? [...configured, OrgSchema.parse({ id: environmentOrg })] : configured;
  const catalogs = new Map<string, Catalog>();
  const unusable: UnusableProvider[] = [];
  const unsupportedSettings: string[] = [];
  for (const org of orgs) {
    const own = { ...world, pool: org.id };
    const found = providersFromConfig(org.providers, own, prices);
    unusable.push(...found.unusable.map(({ id, reason }) => ({ id: `${org.id}/${id}`, reason })));
    const given = org.id === environmentOrg ? providersFromEnvironment(own, prices) : [];
    const providers = indexById([
      ...given.filter(({ id }) => !org.providers.some((own) => own.id === id)),
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
      cache: compileCacheRules(org, purges.get(org.id) ?? 0),
      bodies: compileBodyStorage(org),
      rules: compileOrgRules(org, stored),
      policies: compilePolicies(org.policies.filter(isEnabled)),
    });
  }
  return { catalogs, unusable, unsupportedSettings };
}

function isEnabled({ enabled }: { readonly enabled: boolean }): boolean {
  return enabled;
}

function compileOrgRules({ id, limits, budgets, timezone }: OrgConfig, stored: StoredRules) {
  return compileRules(
    mergeRules(limits.map(declareFileRule), stored.limits(id)),
    mergeRules(budgets.map(declareFileRule), stored.budgets(id)),
    timezone,
  );
}

/** A rule of the file takes the place of a stored one with its id. */
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

/** Who the org put behind a passthrough surface; nobody named, its one provider that is native to the style. */
function passthroughTargets(style: ApiStyle, org: OrgConfig, providers: Providers): PassthroughTarget[] {
  const named = org.passthrough[style];
  if (named.length === 0) return nativeTargets(style, providers);
  return named.flatMap(({ provider: id, model_map }) => {
    const provider = providers.get(id);
    return provider ? [{ provider, modelMap: new Map(Object.entries(model_map)) }] : [];
  });
}

function nativeTargets(style: ApiStyle, providers: Providers): PassthroughTarget[] {
  const native = [...providers.values()].filter(({ sheet }) => sheet.defaultSurface === style);
  return native.slice(0, 1).map((provider) => ({ provider, modelMap: new Map() }));
}

const speaksStyleOf =
  (style: ApiStyle) =>
  ({ provider }: PassthroughTarget): boolean =>
    supportsApiStyle(provider, style);

/** Providers behind a surface whose style they do not speak. */
function findMismatchedTargets(
  passthrough: Readonly<Record<ApiStyle, readonly PassthroughTarget[]>>,
): string[] {
  const styles: readonly ApiStyle[] = ['a', 'b'];
  return styles.flatMap((style) =>
    passthrough[style]
      .filter((target) => !speaksStyleOf(style)(target))
      .map(({ provider }) => `passthrough.${style}: ${provider.id} has no API of this style`),
  );
}

/** A route as requests are matched against it. */
export function compileRoute(route: RouteConfig): CompiledRoute {
  const { connect_ms, headers_ms, first_token_ms, idle_ms, total_ms } = route.timeouts;
  return {
    model: route.model,
    matches: compilePatterns([route.model]),
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
