import type { OrgConfig } from '@floe/contract/config';
import type { Catalog } from '../gateway/catalog.ts';
import { listConfigEntriesOfOrg } from '../store/config-entries.ts';
import type { DatabaseReader } from '../store/ports.ts';

/** An org as it runs. */
export interface RunningOrg {
  /** What is in force, of floe.yaml and of the API; null when neither says anything about it. */
  readonly config: OrgConfig | null;
  /** Whether floe.yaml names it. */
  readonly isInFile: boolean;
  /** Name of that file. */
  readonly fileName: string;
  readonly catalog: Catalog;
  /** What a provider lacks that is enabled and left out. */
  findProviderProblem(providerId: string): string | null;
}

/** What the verbs over the running configuration stand on. */
export type GetRunningOrg = (orgId: string) => RunningOrg;

/** Providers that may be named: those of the store at this moment, and those the environment gives. */
export async function listProviderIds(
  reader: DatabaseReader,
  orgId: string,
  getRunningOrg: GetRunningOrg,
): Promise<string[]> {
  const rows = await listConfigEntriesOfOrg(reader, orgId, 'providers');
  return [...new Set([...rows.map(({ id }) => id), ...getRunningOrg(orgId).catalog.providers.keys()])];
}
