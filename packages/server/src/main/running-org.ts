import type { LoadedConfig } from '../config/load.ts';
import { type Catalog, EMPTY_CATALOG } from '../gateway/catalog.ts';
import type { RunningOrg } from '../management/running-org.ts';

/** What the running configuration says about an org, with the lines it stands on. */
export function runningOrg(
  { config, lineOf }: LoadedConfig,
  catalogs: ReadonlyMap<string, Catalog>,
  orgId: string,
): RunningOrg {
  const at = config.orgs.findIndex(({ id }) => id === orgId);
  return {
    config: config.orgs[at] ?? null,
    catalog: catalogs.get(orgId) ?? EMPTY_CATALOG,
    lineOf: (section, index) => lineOf(['orgs', at, section, index]) ?? null,
  };
}
