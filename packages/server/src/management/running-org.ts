import type { OrgConfig } from '@floe/contract/config';
import type { Catalog } from '../gateway/catalog.ts';

/** An org as the running configuration has it. */
export interface RunningOrg {
  /** Its part of floe.yaml; null when the file does not name it. */
  readonly config: OrgConfig | null;
  readonly catalog: Catalog;
  /** Line of an entry of a section in floe.yaml. */
  lineOf(section: 'policies' | 'routes' | 'providers', index: number): number | null;
}

/** What the read-only verbs over the running configuration stand on. */
export type RunningOrgs = (orgId: string) => RunningOrg;

interface Paging {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** A page of entries in the order of the file; the cursor is the name of the last one before. */
export function filePage<Entry>(entries: readonly Entry[], nameOf: (entry: Entry) => string, paging: Paging) {
  const after =
    paging.cursor === undefined ? -1 : entries.findIndex((entry) => nameOf(entry) === paging.cursor);
  const data = entries.slice(after + 1, after + 1 + paging.limit);
  const last = data.at(-1);
  const hasMore = after + 1 + data.length < entries.length;
  return { data, next_cursor: hasMore && last !== undefined ? nameOf(last) : null };
}
