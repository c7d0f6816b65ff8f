import type { OrgConfig } from '@floe/contract/config';
import type { JsonObject } from '@floe/contract/json';
import { newId } from '../../core/ids.ts';
import { appendAudit } from '../../store/audit.ts';
import {
  allEntries,
  changeEntry,
  type EntryKind,
  type EntryRow,
  insertEntry,
  removeEntry,
} from '../../store/config-entries.ts';
import type { Writer } from '../../store/ports.ts';
import { USUAL_FILE } from '../file-place.ts';
import { splitProvider } from './provider-secrets.ts';
import { SECTIONS, settingsOf } from './sections.ts';
import { parsed } from './stored-config.ts';

/** An entry of floe.yaml and the line it stands on. */
export interface FileEntry {
  readonly kind: EntryKind;
  readonly id: string;
  /** As the file says it, without secrets. */
  readonly entry: Readonly<Record<string, unknown>>;
  readonly line: number | null;
}

export interface FileEntries {
  readonly id: string;
  /** Name of the file. */
  readonly file?: string;
  readonly entries: readonly FileEntry[];
}

/** The entries of an org of floe.yaml. `lineAt` is undefined for a section that the file does not set. */
export function fileEntriesOf(
  org: OrgConfig,
  lineAt: (section: string, index?: number) => number | undefined,
): FileEntries {
  const line = (section: string, index: number) => lineAt(section, index) ?? null;
  const settings: Readonly<Record<string, unknown>> = { ...settingsOf(org) };
  return {
    id: org.id,
    entries: [
      ...org.providers.map((config, index): FileEntry => {
        const place = { kind: 'providers' as const, id: config.id, line: line('providers', index) };
        return { ...place, entry: splitProvider(config).entry };
      }),
      ...org.routes.map((config, index): FileEntry => {
        return { kind: 'routes', id: config.model, entry: config, line: line('routes', index) };
      }),
      ...org.policies.map((config, index): FileEntry => {
        return { kind: 'policies', id: config.name, entry: config, line: line('policies', index) };
      }),
      ...SECTIONS.flatMap((section): FileEntry[] => {
        const at = lineAt(section);
        if (at === undefined) return [];
        return [{ kind: 'settings', id: section, entry: { value: settings[section] }, line: at }];
      }),
    ],
  };
}

/**
 * Writes the entries of floe.yaml to the store, without their secrets: so that lists know them, with their
 * history. An entry of the same id is taken over; one that left the file is disabled (a setting returns to its
 * default). Every difference is audited with the actor `file`; no difference writes nothing.
 */
export async function syncFileEntries(
  writer: Writer,
  orgs: readonly FileEntries[],
  nowMs: number,
): Promise<void> {
  const stored = new Map((await allEntries(writer)).map((row) => [keyOf(row.org_id, row.kind, row.id), row]));
  const kept = new Set<EntryRow>();
  for (const { id: orgId, file = USUAL_FILE, entries } of orgs)
    for (const [position, entry] of entries.entries()) {
      const row = stored.get(keyOf(orgId, entry.kind, entry.id));
      if (row) kept.add(row);
      const place = { position, source_file: file, source_line: entry.line };
      await take(writer, orgId, entry, place, row, nowMs);
    }
  for (const row of stored.values())
    if (row.source === 'file' && !kept.has(row)) await letGo(writer, row, nowMs);
}

function keyOf(orgId: string, kind: string, id: string): string {
  return JSON.stringify([orgId, kind, id]);
}

async function take(
  writer: Writer,
  orgId: string,
  { kind, id, entry }: FileEntry,
  place: Required<Pick<EntryRow, 'position' | 'source_file' | 'source_line'>>,
  before: EntryRow | undefined,
  nowMs: number,
): Promise<void> {
  const columns = { entry_json: JSON.stringify(entry), secrets_sealed: null, source: 'file' };
  if (!before) {
    const row: EntryRow = {
      ...columns,
      ...place,
      org_id: orgId,
      kind,
      id,
      row_id: newId('cfg', nowMs),
      secrets_version: 0,
      created_at: nowMs,
      updated_at: nowMs,
      updated_by: 'file',
    };
    await insertEntry(writer, row);
    return audit(writer, `${kind}.create`, null, row, nowMs);
  }
  // Entries move up and down as the file is edited; that alone is no change of the entry.
  const isSame = before.entry_json === columns.entry_json && before.source === 'file';
  const isThere = (['position', 'source_file', 'source_line'] as const).every(
    (column) => before[column] === place[column],
  );
  if (isSame && isThere) return;
  const change = isSame ? place : { ...columns, ...place, updated_at: nowMs, updated_by: 'file' };
  await changeEntry(writer, before, change);
  if (!isSame) await audit(writer, `${kind}.update`, before, { ...before, ...change }, nowMs);
}

async function letGo(writer: Writer, row: EntryRow, nowMs: number): Promise<void> {
  if (row.kind === 'settings') {
    await removeEntry(writer, row);
    return audit(writer, 'settings.delete', row, null, nowMs);
  }
  const change = {
    entry_json: JSON.stringify({ ...parsed(row), enabled: false }),
    source: 'console',
    source_file: null,
    source_line: null,
    updated_at: nowMs,
    updated_by: 'file',
  };
  await changeEntry(writer, row, change);
  await audit(writer, `${row.kind}.update`, row, { ...row, ...change }, nowMs);
}

async function audit(
  writer: Writer,
  action: string,
  before: EntryRow | null,
  after: EntryRow | null,
  nowMs: number,
): Promise<void> {
  const row = after ?? before;
  if (!row) return;
  await appendAudit(writer, {
    id: newId('aud', nowMs),
    org_id: row.org_id,
    at: nowMs,
    actor: 'file',
    action,
    subject: row.id,
    before_json: before && JSON.stringify(shownEntry(before)),
    after_json: after && JSON.stringify(shownEntry(after)),
  });
}

/** An entry as the audit log keeps it. */
export function shownEntry(row: EntryRow): JsonObject {
  return { ...parsed(row), source: row.source, line: row.source_line };
}
