import { isDeepStrictEqual } from 'node:util';
import type { FloeConfig, OrgConfig } from '@floe/contract/config';
import { createId } from '../core/ids.ts';
import { appendAuditEntry } from '../store/audit-entries.ts';
import type { DatabaseWriter } from '../store/store-interfaces.ts';

/** Sections whose entries have audit rows of their own. */
const INDIVIDUALLY_AUDITED: ReadonlySet<string> = new Set([
  'keys',
  'teams',
  'monitors',
  'boards',
  'channels',
]);

/**
 * Adds an audit entry for each organization whose sections in floe.yaml have changed. The entry contains only
 * the names of the sections, because their contents may include secrets. The organizations must already be
 * stored.
 */
export async function auditConfigFileChange(
  writer: DatabaseWriter,
  before: FloeConfig,
  after: FloeConfig,
  nowMs: number,
): Promise<void> {
  const shared = changedSections({ ...before, orgs: [] }, { ...after, orgs: [] });
  for (const org of after.orgs) {
    const known: OrgConfig | undefined = before.orgs.find(({ id }) => id === org.id);
    const own = changedSections(known ?? {}, org).filter((section) => !INDIVIDUALLY_AUDITED.has(section));
    const changed = [...shared, ...own.map((section) => `orgs.${section}`)];
    if (changed.length === 0) continue;
    await appendAuditEntry(writer, {
      id: createId('aud', nowMs),
      org_id: org.id,
      at: nowMs,
      actor: 'file',
      action: 'config.reload',
      subject: org.id,
      before_json: null,
      after_json: JSON.stringify({ changed }),
    });
  }
}

function changedSections(before: object, after: object): string[] {
  const known: Readonly<Record<string, unknown>> = { ...before };
  return Object.entries(after)
    .filter(([section, value]) => !isDeepStrictEqual(known[section], value))
    .map(([section]) => section);
}
