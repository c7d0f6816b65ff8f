import type { OrgConfig } from '@floe/contract/config';
import type { Provider } from '../providers/configured.ts';
import { providersFromConfig, providersFromEnvironment, type Variable } from '../providers/from-config.ts';
import type { Catalog } from './catalog.ts';

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
      chatReasoning: org.chat_reasoning,
      userHeaders: org.attribution.user_headers.map((name) => name.toLowerCase()),
    });
  }
  if (orgs.length === 0)
    catalogs.set(defaultOrg, {
      providers: byId(providersFromEnvironment(variable)),
      chatReasoning: 'strip',
      userHeaders: [],
    });
  return { catalogs, missing };
}

function byId(providers: readonly Provider[]): ReadonlyMap<string, Provider> {
  return new Map(providers.map((provider) => [provider.id, provider]));
}
