import type { LoadedConfig } from '../config/load.ts';
import { EMPTY_CATALOG } from '../gateway/catalog.ts';
import type { RunningOrg } from '../management/running-org.ts';
import { fileNameOf } from '../platform/file-org.ts';
import type { Snapshots } from './snapshots.ts';

/** What is in force for an org. */
export function runningOrg(snapshots: Snapshots, file: LoadedConfig, orgId: string): RunningOrg {
  const { orgs, problems } = snapshots.running();
  return {
    config: orgs.find(({ id }) => id === orgId) ?? null,
    isInFile: file.config.orgs.some(({ id }) => id === orgId),
    fileName: fileNameOf(file),
    catalog: snapshots.current().catalogs.get(orgId) ?? EMPTY_CATALOG,
    problemOf: (providerId) => problems.get(`${orgId}/${providerId}`) ?? null,
  };
}
