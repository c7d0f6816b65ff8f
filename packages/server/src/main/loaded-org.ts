import type { LoadedConfig } from '../config/load-config.ts';
import { EMPTY_ORG_CATALOG } from '../gateway/org-catalog.ts';
import type { LoadedOrg } from '../management/loaded-org.ts';
import { getConfigFileName } from '../platform/declared-resources.ts';
import type { GatewaySnapshots } from './gateway-snapshots.ts';

/** Returns an organization's configuration and catalog in the current snapshot. */
export function buildLoadedOrg(snapshots: GatewaySnapshots, file: LoadedConfig, orgId: string): LoadedOrg {
  const { orgs, problems } = snapshots.runningConfig();
  return {
    config: orgs.find(({ id }) => id === orgId) ?? null,
    isInFile: file.config.orgs.some(({ id }) => id === orgId),
    fileName: getConfigFileName(file),
    catalog: snapshots.current().catalogs.get(orgId) ?? EMPTY_ORG_CATALOG,
    findProviderProblem: (providerId) => problems.get(`${orgId}/${providerId}`) ?? null,
  };
}
