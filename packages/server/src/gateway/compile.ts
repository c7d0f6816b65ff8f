import type { OrgConfig, RouteConfig } from '@floe/contract/config';
import { compilePatterns } from '../core/pattern.ts';
import type { Provider } from '../providers/configured.ts';
import { providersFromConfig, providersFromEnvironment, type Variable } from '../providers/from-config.ts';
import { compileCache } from './cache/rules.ts';
import { type Catalog, EMPTY_CATALOG, type Route } from './catalog.ts';

export interface CompiledCatalogs {
  readonly catalogs: ReadonlyMap<string, Catalog>;
  /** `org/provider` of entries whose kind this release does not know how to reach yet. */
  readonly missing: readonly string[];
  /** Settings that are valid but do nothing in this release, as `org/subject: setting`. */
  readonly notYet: readonly string[];
}

/** The gateway's slice of the snapshot: one catalog per org; without any org in the file, the default one. */
export function compileCatalogs(
  orgs: readonly OrgConfig[],
  defaultOrg: string,
  variable: Variable,
  purges: ReadonlyMap<string, number> = new Map(),
): CompiledCatalogs {
  const catalogs = new Map<string, Catalog>();
  const missing: string[] = [];
  const notYet: string[] = [];
  for (const org of orgs) {
    const found = providersFromConfig(org.providers, variable);
    missing.push(...found.missing.map((id) => `${org.id}/${id}`));
    notYet.push(...settingsNotYet(org).map((setting) => `${org.id}/${setting}`));
    catalogs.set(org.id, {
      providers: byId(found.providers),
      routes: org.routes.map(compileRoute),
      chatReasoning: org.chat_reasoning,
      userHeaders: org.attribution.user_headers.map((name) => name.toLowerCase()),
      storedResponses: org.stored_responses,
      resourceScope: org.resource_scope,
      cache: compileCache(org, purges.get(org.id) ?? 0),
    });
  }
  if (orgs.length === 0)
    catalogs.set(defaultOrg, { ...EMPTY_CATALOG, providers: byId(providersFromEnvironment(variable)) });
  return { catalogs, missing, notYet };
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
function settingsNotYet({ routes, providers }: OrgConfig): string[] {
  const found: string[] = [];
  for (const { model, strategy, rescue } of routes) {
    if (strategy !== 'failover') found.push(`${model}: strategy ${strategy}, targets are tried in order`);
    if (rescue !== 'error') found.push(`${model}: rescue ${rescue}, a broken stream ends with the error`);
  }
  for (const { id, credential_source, client_cert } of providers) {
    if (credential_source !== 'provider') found.push(`${id}: credential_source ${credential_source}`);
    if (client_cert !== undefined) found.push(`${id}: client_cert`);
  }
  return found;
}
