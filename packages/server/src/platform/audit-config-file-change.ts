import { isDeepStrictEqual } from 'node:util';
import type { FloeConfig } from '@floe/contract/config';
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
 * Adds an audit entry for each organization whose sections in floe.yaml have changed, or that was added or removed. The
 * entry contains only the names of the sections, because their contents may include secrets. The organizations must
 * already be stored.
 */
export async function auditConfigFileChange(
  writer: DatabaseWriter,
  before: FloeConfig,
  after: FloeConfig,
  nowMs: number,
): Promise<void> {
  const shared = changedSections({ ...before, orgs: [] }, { ...after, orgs: [] });
  const earlier = new Map(before.orgs.map((org) => [org.id, org]));
  const later = new Map(after.orgs.map((org) => [org.id, org]));
  for (const id of new Set([...later.keys(), ...earlier.keys()])) {
    const own = changedSections(earlier.get(id) ?? {}, later.get(id) ?? {}).filter(
      (section) => !INDIVIDUALLY_AUDITED.has(section),
    );
    const changed = [...shared, ...own.map((section) => `orgs.${section}`)];
    if (changed.length === 0) continue;
    await appendAuditEntry(writer, {
      id: createId('aud', nowMs),
      org_id: id,
      at: nowMs,
      actor: 'file',
      action: 'config.reload',
      subject: id,
      before_json: null,
      after_json: JSON.stringify({ changed }),
    });
  }
}

function changedSections(before: object, after: object): string[] {
  const one: Readonly<Record<string, unknown>> = { ...before };
  const other: Readonly<Record<string, unknown>> = { ...after };
  return Object.keys({ ...other, ...one }).filter(
    (section) => !isDeepStrictEqual(one[section], other[section]),
  );
}
