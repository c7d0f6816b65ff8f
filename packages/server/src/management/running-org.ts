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

export interface Paging {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** A page of a short list in its own order; the cursor is the name of the last one before. */
export function listPage<Entry>(entries: readonly Entry[], nameOf: (entry: Entry) => string, paging: Paging) {
  const after =
    paging.cursor === undefined ? -1 : entries.findIndex((entry) => nameOf(entry) === paging.cursor);
  const data = entries.slice(after + 1, after + 1 + paging.limit);
  const last = data.at(-1);
  const hasMore = after + 1 + data.length < entries.length;
  return { data, next_cursor: hasMore && last !== undefined ? nameOf(last) : null };
}
