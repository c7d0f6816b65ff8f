import { sql } from 'kysely';
import type { PlatformKeyRow } from './platform-keys.ts';
import type { DatabaseReader } from './store-interfaces.ts';

/** Which keys `listAllPlatformKeys` returns. */
export interface PlatformKeySelection {
  readonly orgIds?: readonly string[] | undefined;
  /** `file` for keys of floe.yaml. */
  readonly source?: string;
  /**
   * Leaves out revoked keys that were created with the API. They are kept forever, and clients can create and revoke any
   * number of them.
   */
  readonly omitsRevokedApiKeys?: boolean;
}

/** A page is read without a pause and takes about 2 ms. */
const KEYS_PER_PAGE = 250;

/** Returns keys in the order of their ids, including revoked ones. Without `orgIds`, of all organizations. */
export async function listAllPlatformKeys(
  reader: DatabaseReader,
  { orgIds, source, omitsRevokedApiKeys = false }: PlatformKeySelection = {},
): Promise<PlatformKeyRow[]> {
  let query = reader.selectFrom('platform_keys').selectAll().orderBy('id').limit(KEYS_PER_PAGE);
  if (orgIds !== undefined) query = query.where('org_id', 'in', orgIds);
  if (source !== undefined) query = query.where('source', '=', source);
  if (omitsRevokedApiKeys)
    // The condition of the index `platform_keys_active`.
    query = query.where(sql<boolean>`(revoked_at is null or source = 'file')`);
  const rows: PlatformKeyRow[] = [];
  for (;;) {
    const page = await query.where('id', '>', rows.at(-1)?.id ?? '').execute();
    rows.push(...page);
    if (page.length < KEYS_PER_PAGE) return rows;
  }
}

/** Returns the revoked keys of an organization whose current or previous value has one of these hashes. */
export async function listRevokedPlatformKeysByHash(
  reader: DatabaseReader,
  orgId: string,
  hashes: readonly string[],
): Promise<PlatformKeyRow[]> {
  const rows = await reader
    .selectFrom('platform_keys')
    .selectAll()
    .where(({ eb, or }) => or([eb('hash', 'in', hashes), eb('previous_hash', 'in', hashes)]))
    .execute();
  // With a condition on `org_id`, SQLite would read all keys of the organization.
  return rows.filter(({ org_id, revoked_at }) => org_id === orgId && revoked_at !== null);
}
