import type { OrgConfig, RouteConfig } from '@floe/contract/config';
import { OrgSchema } from '@floe/contract/config/org';
import { compilePatterns } from '../core/pattern.ts';
import { compilePolicies } from '../guardrails/policies/policies.ts';
import { compileRules, fromFile } from '../guardrails/rules.ts';
import { NO_STORED_RULES, type StoredRules } from '../guardrails/stored-rules.ts';
import type { Provider } from '../providers/configured.ts';
import {
  type ProviderWorld,
  providersFromConfig,
  providersFromEnvironment,
  type Unusable,
} from '../providers/from-config.ts';
import { NO_PRICES } from '../providers/price-catalog.ts';
import type { PriceBook } from '../providers/prices.ts';
import { compileBodies } from './bodies/rules.ts';
import { compileCache } from './cache/rules.ts';
import type { Catalog, PassthroughTarget, Route } from './catalog.ts';
import { compileIde } from './ide/settings.ts';
import type { Style } from './opaque/resource-path.ts';
import { speaksStyle } from './passthrough/native-path.ts';

export interface CompiledCatalogs {
  readonly catalogs: ReadonlyMap<string, Catalog>;
  /** Providers that are left out, as `org/provider`, and what each lacks. */
  readonly unusable: readonly Unusable[];
  /** Settings that are valid but do nothing in this release, as `org/subject: setting`. */
  readonly notYet: readonly string[];
}

/** What the file does not say. */
export interface Known {
  readonly book: PriceBook;
  readonly stored: StoredRules;
  /** How often each org purged its cache. */
  readonly purges: ReadonlyMap<string, number>;
}

const NOTHING_KNOWN: Known = { book: NO_PRICES, stored: NO_STORED_RULES, purges: new Map() };

/**
 * The gateway's slice of the snapshot: one catalog per org. `environmentOrg` is the org that the environment gives
 * providers to, beside its own; null when floe.yaml says what there is.
 */
export function compileCatalogs(
  configured: readonly OrgConfig[],
  environmentOrg: string | null,
  world: ProviderWorld,
  { book, stored, purges }: Known = NOTHING_KNOWN,
): CompiledCatalogs {
  const missing = environmentOrg !== null && !configured.some(({ id }) => id === environmentOrg);
  const orgs = missing ? [...configured, OrgSchema.parse({ id: environmentOrg })] : configured;
  const catalogs = new Map<string, Catalog>();
  const unusable: Unusable[] = [];
  const notYet: string[] = [];
  for (const org of orgs) {
    const own = { ...world, pool: org.id };
    const found = providersFromConfig(org.providers, own, book);
    unusable.push(...found.unusable.map(({ id, reason }) => ({ id: `${org.id}/${id}`, reason })));
    const given = org.id === environmentOrg ? providersFromEnvironment(own, book) : [];
    const providers = byId([
      ...given.filter(({ id }) => !org.providers.some((own) => own.id === id)),
      ...found.providers,
    ]);
    const passthrough = { a: behind('a', org, providers), b: behind('b', org, providers) };
    notYet.push(...misplaced(passthrough).map((setting) => `${org.id}/${setting}`));
    catalogs.set(org.id, {
      providers,
      passthrough: { a: passthrough.a.filter(fits('a')), b: passthrough.b.filter(fits('b')) },
      resourceScope: org.resource_scope,
      routes: org.routes.filter(isEnabled).map(compileRoute),
      chatReasoning: org.chat_reasoning,
      userHeaders: org.attribution.user_headers.map((name) => name.toLowerCase()),
      ide: compileIde(org),
      storedResponses: org.stored_responses,
      cache: compileCache(org, purges.get(org.id) ?? 0),
      bodies: compileBodies(org),
      rules: rulesOf(org, stored),
      policies: compilePolicies(org.policies.filter(isEnabled)),
    });
  }
  return { catalogs, unusable, notYet };
}

function isEnabled({ enabled }: { readonly enabled: boolean }): boolean {
  return enabled;
}

function rulesOf({ id, limits, budgets, timezone }: OrgConfig, stored: StoredRules) {
  return compileRules(
    adopting(limits.map(fromFile), stored.limits(id)),
    adopting(budgets.map(fromFile), stored.budgets(id)),
    timezone,
  );
}

/** A rule of the file takes the place of a stored one with its id. */
function adopting<Rule extends { readonly id: string }>(
  file: readonly Rule[],
  stored: readonly Rule[],
): Rule[] {
  const taken = new Set(file.map((rule) => rule.id));
  return [...file, ...stored.filter((rule) => !taken.has(rule.id))];
}

function byId(providers: readonly Provider[]): ReadonlyMap<string, Provider> {
  return new Map(providers.map((provider) => [provider.id, provider]));
}

type Providers = ReadonlyMap<string, Provider>;

/** Who the org put behind a passthrough surface; nobody named, its one provider that is native to the style. */
function behind(style: Style, org: OrgConfig, providers: Providers): PassthroughTarget[] {
  const named = org.passthrough[style];
  if (named.length === 0) return natives(style, providers);
  return named.flatMap(({ provider: id, model_map }) => {
    const provider = providers.get(id);
    return provider ? [{ provider, modelMap: new Map(Object.entries(model_map)) }] : [];
  });
}

function natives(style: Style, providers: Providers): PassthroughTarget[] {
  const native = [...providers.values()].filter(({ sheet }) => sheet.native === style);
  return native.slice(0, 1).map((provider) => ({ provider, modelMap: new Map() }));
}

const fits =
  (style: Style) =>
  ({ provider }: PassthroughTarget): boolean =>
    speaksStyle(provider, style);

/** Providers behind a surface whose style they do not speak. */
function misplaced(passthrough: Readonly<Record<Style, readonly PassthroughTarget[]>>): string[] {
  const styles: readonly Style[] = ['a', 'b'];
  return styles.flatMap((style) =>
    passthrough[style]
      .filter((target) => !fits(style)(target))
      .map(({ provider }) => `passthrough.${style}: ${provider.id} has no API of this style`),
  );
}

/** A route as requests are matched against it. */
export function compileRoute(route: RouteConfig): Route {
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
