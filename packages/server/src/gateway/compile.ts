import type { OrgConfig, RouteConfig } from '@floe/contract/config';
import { compilePatterns } from '../core/pattern.ts';
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
import { compileCache } from './cache/rules.ts';
import { type Catalog, EMPTY_CATALOG, type Route } from './catalog.ts';

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

/** The gateway's slice of the snapshot: one catalog per org; without any org in the file, the default one. */
export function compileCatalogs(
  orgs: readonly OrgConfig[],
  defaultOrg: string,
  world: ProviderWorld,
  { book, stored, purges }: Known = NOTHING_KNOWN,
): CompiledCatalogs {
  const catalogs = new Map<string, Catalog>();
  const unusable: Unusable[] = [];
  const notYet: string[] = [];
  for (const org of orgs) {
    const found = providersFromConfig(org.providers, world, book);
    unusable.push(...found.unusable.map(({ id, reason }) => ({ id: `${org.id}/${id}`, reason })));
    notYet.push(...settingsNotYet(org).map((setting) => `${org.id}/${setting}`));
    catalogs.set(org.id, {
      providers: byId(found.providers),
      routes: org.routes.map(compileRoute),
      chatReasoning: org.chat_reasoning,
      userHeaders: org.attribution.user_headers.map((name) => name.toLowerCase()),
      cache: compileCache(org, purges.get(org.id) ?? 0),
      rules: rulesOf(org, stored),
    });
  }
  if (orgs.length === 0)
    catalogs.set(defaultOrg, {
      ...EMPTY_CATALOG,
      providers: byId(providersFromEnvironment(world, book)),
      rules: compileRules(stored.limits(defaultOrg), stored.budgets(defaultOrg), 'UTC'),
    });
  return { catalogs, unusable, notYet };
}

function rulesOf({ id, limits, budgets, timezone }: OrgConfig, stored: StoredRules) {
  return compileRules(
    [...limits.map(fromFile), ...stored.limits(id)],
    [...budgets.map(fromFile), ...stored.budgets(id)],
    timezone,
  );
}

function byId(providers: readonly Provider[]): ReadonlyMap<string, Provider> {
  return new Map(providers.map((provider) => [provider.id, provider]));
}

function compileRoute(route: RouteConfig): Route {
  const { connect_ms, headers_ms, first_token_ms, idle_ms, total_ms } = route.timeouts;
  return {
    model: route.model,
    matches: compilePatterns([route.model]),
    targets: route.targets.map((target) => target.model),
    retries: route.retries,
    timeouts: {
      ...(connect_ms === undefined ? {} : { connectMs: connect_ms }),
      ...(headers_ms === undefined ? {} : { headersMs: headers_ms }),
      ...(first_token_ms === undefined ? {} : { firstTokenMs: first_token_ms }),
      ...(idle_ms === undefined ? {} : { idleMs: idle_ms }),
      ...(total_ms === undefined ? {} : { totalMs: total_ms }),
    },
    chatReasoning: route.chat_reasoning,
  };
}

/** A setting that does nothing has to be said out loud. */
function settingsNotYet({ routes }: OrgConfig): string[] {
  const found: string[] = [];
  for (const { model, strategy, rescue } of routes) {
    if (strategy !== 'failover') found.push(`${model}: strategy ${strategy}, targets are tried in order`);
    if (rescue !== 'error') found.push(`${model}: rescue ${rescue}, a broken stream ends with the error`);
  }
  return found;
}
