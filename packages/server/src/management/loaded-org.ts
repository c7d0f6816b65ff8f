import type { OrgConfig } from '@floe/contract/config';
import type { OrgCatalog } from '../gateway/org-catalog.ts';
import { listConfigEntriesOfOrg } from '../store/config-entries.ts';
import type { DatabaseReader } from '../store/store-interfaces.ts';

/** The configuration and catalog of an organization that this process has loaded. */
export interface LoadedOrg {
  /** Effective configuration from floe.yaml and the API. Null if neither defines anything for the org. */
  readonly config: OrgConfig | null;
  /** Whether floe.yaml defines the org. */
  readonly isInFile: boolean;
  /** The name of floe.yaml. */
  readonly fileName: string;
  readonly catalog: OrgCatalog;
  /** Why an enabled provider is not running. Null if it runs. */
  findProviderProblem(providerId: string): string | null;
}

/** Returns the configuration and catalog of an organization that this process has loaded. */
export type GetLoadedOrg = (orgId: string) => LoadedOrg;

/**
 * Returns the provider ids that may be used in references: stored providers and providers from the
 * environment.
 */
export async function listProviderIds(
  reader: DatabaseReader,
  orgId: string,
  getLoadedOrg: GetLoadedOrg,
): Promise<string[]> {
  const rows = await listConfigEntriesOfOrg(reader, orgId, 'providers');
  return [...new Set([...rows.map(({ id }) => id), ...getLoadedOrg(orgId).catalog.providers.keys()])];
}
