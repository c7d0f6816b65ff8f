import type { FloeConfig } from '@floe/contract/config';
import { EMPTY_CATALOG } from '../gateway/catalog.ts';
import type { RunningOrg } from '../management/running-org.ts';
import type { Snapshots } from './snapshots.ts';

/** What is in force for an org. */
export function runningOrg(snapshots: Snapshots, file: FloeConfig, orgId: string): RunningOrg {
  const { orgs, problems } = snapshots.running();
  return {
    config: orgs.find(({ id }) => id === orgId) ?? null,
    isInFile: file.orgs.some(({ id }) => id === orgId),
    catalog: snapshots.current().catalogs.get(orgId) ?? EMPTY_CATALOG,
    problemOf: (providerId) => problems.get(`${orgId}/${providerId}`) ?? null,
  };
}
