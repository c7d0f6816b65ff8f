import type { OrgConfig, RouteConfig } from '@floe/contract/config';
import { compilePatterns } from '../core/pattern.ts';
import type { Provider } from '../providers/configured.ts';
import { providersFromConfig, providersFromEnvironment, type Variable } from '../providers/from-config.ts';
import { type Catalog, EMPTY_CATALOG, type Route } from './catalog.ts';

export interface CompiledCatalogs {
  readonly catalogs: ReadonlyMap<string, Catalog>;
  /** `org/provider` of entries whose kind this release does not know how to reach yet. */
  readonly missing: readonly string[];
}

/** The gateway's slice of the snapshot: one catalog per org; without any org in the file, the default one. */
export function compileCatalogs(
  orgs: readonly OrgConfig[],
  defaultOrg: string,
  variable: Variable,
): CompiledCatalogs {
  const catalogs = new Map<string, Catalog>();
  const missing: string[] = [];
  for (const org of orgs) {
    const found = providersFromConfig(org.providers, variable);
    missing.push(...found.missing.map((id) => `${org.id}/${id}`));
    catalogs.set(org.id, {
      providers: byId(found.providers),
      routes: org.routes.map(compileRoute),
      chatReasoning: org.chat_reasoning,
      userHeaders: org.attribution.user_headers.map((name) => name.toLowerCase()),
    });
  }
  if (orgs.length === 0)
    catalogs.set(defaultOrg, { ...EMPTY_CATALOG, providers: byId(providersFromEnvironment(variable)) });
  return { catalogs, missing };
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
