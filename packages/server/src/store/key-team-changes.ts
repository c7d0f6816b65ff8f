import { isJsonObject } from '@floe/contract/json';
import { getRetentionStart } from './settings.ts';
import type { DatabaseReader } from './store-interfaces.ts';

const ENTRIES_PER_READ = 500;

/**
 * Returns those of the keys whose team has changed since `sinceMs`, according to the audit log. Returns null
 * if retention has deleted audit entries of this time range.
 */
export async function listKeyIdsWithTeamChange(
  reader: DatabaseReader,
  orgId: string,
  keys: ReadonlySet<string>,
  sinceMs: number,
): Promise<ReadonlySet<string> | null> {
  if (keys.size === 0) return new Set();
  if ((await getRetentionStart(reader, 'audit_kept_from')) > sinceMs) return null;
  const moved = new Set<string>();
  let [at, id] = [sinceMs, ''];
  for (;;) {
    const rows = await reader
      .selectFrom('audit')
      .select(['at', 'id', 'subject', 'before_json', 'after_json'])
      .where('org_id', '=', orgId)
      .where(({ eb, refTuple, tuple }) => eb(refTuple('at', 'id'), '>', tuple(at, id)))
      .where('action', 'like', 'keys.%')
      .where('before_json', 'is not', null)
      .orderBy('at')
      .orderBy('id')
      .limit(ENTRIES_PER_READ)
      .execute();
    for (const row of rows)
      if (keys.has(row.subject) && parseTeam(row.before_json) !== parseTeam(row.after_json))
        moved.add(row.subject);
    const last = rows.at(-1);
    if (!last || rows.length < ENTRIES_PER_READ) return moved;
    [at, id] = [last.at, last.id];
  }
}

/** Returns the team of the key that an audit entry contains. */
function parseTeam(json: string | null): unknown {
  const key: unknown = JSON.parse(json ?? 'null');
  return isJsonObject(key) ? key['team'] : undefined;
}
