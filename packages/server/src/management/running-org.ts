import type { OrgConfig } from '@floe/contract/config';
import type { Catalog } from '../gateway/catalog.ts';

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
  problemOf(providerId: string): string | null;
}

/** What the verbs over the running configuration stand on. */
export type RunningOrgs = (orgId: string) => RunningOrg;
