import type { KeyObject } from 'node:crypto';
import type { OrgConfig, PlatformKeyConfig } from '@floe/contract/config';
import type { ConfigPath } from '@floe/contract/config/references';
import { newId } from '../core/ids.ts';
import { putOrg } from '../store/orgs.ts';
import { allKeys, changeKey, insertKey, type PlatformKeyRow } from '../store/platform-keys.ts';
import type { Writer } from '../store/ports.ts';
import { USUAL_FILE } from './file-place.ts';
import { FileRefused } from './file-refused.ts';
import { type FileKind, FileWriter } from './file-writer.ts';
import { keyHint } from './key-format.ts';
import { hashKey } from './keyring.ts';
import { NOT_ROTATED } from './make-key.ts';
import { platformKeyOf } from './stored-key.ts';

/** An org of floe.yaml as far as its keys are concerned; `line` is where a key stands in the file. */
export interface FileOrg extends Pick<OrgConfig, 'id' | 'name'> {
  /** Metadata keys that analytics index and roll up. */
  readonly metadataKeys?: readonly string[];
  /** Name of the file. */
  readonly file?: string;
  readonly keys: readonly (Pick<
    PlatformKeyConfig,
    'name' | 'key' | 'scopes' | 'team' | 'owner' | 'models' | 'expires_at'
  > &
    Partial<Pick<PlatformKeyConfig, 'paths'>> & { readonly line: number | null })[];
}

const FOREIGN =
  'is or was the value of a key of another organization, which a key stays with; give this one a value of its own';

type FileKey = FileOrg['keys'][number];

interface Declared {
  readonly orgId: string;
  /** Where its value stands in the file. */
  readonly path: ConfigPath;
  readonly key: FileKey;
  readonly hash: string;
  readonly file: string | undefined;
}

/**
 * Writes the orgs and keys of floe.yaml to the store, and revokes the keys that left the file (their history
 * stays). A stored key is taken over when it has the same value, else when it has the same name and is in use,
 * wherever it was made. Every difference is audited with the actor `file`; no difference writes nothing.
 *
 * @throws FileRefused when a key has the value of another org's key
 */
export async function syncFileKeys(
  writer: Writer,
  orgs: readonly FileOrg[],
  pepper: KeyObject,
  nowMs: number,
): Promise<void> {
  for (const { id, name, metadataKeys = [] } of orgs)
    await putOrg(writer, {
      id,
      name,
      created_at: nowMs,
      metadata_keys_json: metadataKeys.length > 0 ? JSON.stringify(metadataKeys) : null,
    });
  const declared = orgs.flatMap((org, at) =>
    org.keys.map(
      (key, index): Declared => ({
        orgId: org.id,
        path: ['orgs', at, 'keys', index, 'key'],
        key,
        hash: hashKey(pepper, bare(key.key)),
        file: org.file,
      }),
    ),
  );
  const stored = await allKeys(writer);
  const written = new FileWriter(KEYS, writer, nowMs);
  const taken = match(declared, stored);
  const kept = new Set(taken.values());
  for (const row of stored)
    if (row.source === 'file' && row.revoked_at === null && !kept.has(row))
      await written.change(row, { revoked_at: nowMs }, 'revoke');
  for (const entry of declared) {
    const row = taken.get(entry);
    if (row) await written.change(row, { ...columnsOf(entry), ...leak(row, entry) });
    else await written.create(rowOf(entry, nowMs));
  }
}

/** `sk-eis_…` is the same key as `eis_…`. */
function bare(key: string): string {
  return key.replace(/^sk-/, '');
}

/** Which stored row each declared key takes over: by value first, so a renamed key keeps its id. */
function match(
  declared: readonly Declared[],
  stored: readonly PlatformKeyRow[],
): Map<Declared, PlatformKeyRow> {
  const taken = new Map<Declared, PlatformKeyRow>();
  const free = new Set(stored);
  const byHash = new Map(stored.map((row) => [row.hash, row]));
  for (const row of stored) if (row.previous_hash) byHash.set(row.previous_hash, row);
  const take = (entry: Declared, row: PlatformKeyRow | undefined) => {
    if (!row || !free.has(row)) return;
    taken.set(entry, row);
    free.delete(row);
  };
  const foreign = declared.filter((entry) => (byHash.get(entry.hash)?.org_id ?? entry.orgId) !== entry.orgId);
  if (foreign.length > 0) throw new FileRefused(foreign.map(({ path }) => ({ path, message: FOREIGN })));
  for (const entry of declared) take(entry, byHash.get(entry.hash));
  for (const entry of declared) {
    if (taken.has(entry)) continue;
    const named = [...free].filter((row) => row.org_id === entry.orgId && row.name === entry.key.name);
    take(entry, named.find((row) => row.source === 'file') ?? named.find((row) => row.revoked_at === null));
  }
  return taken;
}

function columnsOf({ key, hash, file = USUAL_FILE }: Declared) {
  return {
    name: key.name,
    hash,
    ...keyHint(bare(key.key)),
    scopes_json: JSON.stringify(key.scopes),
    models_json: key.models ? JSON.stringify(key.models) : null,
    paths_json: key.paths && key.paths.length > 0 ? JSON.stringify(key.paths) : null,
    team: key.team ?? null,
    owner: key.owner ?? null,
    expires_at: key.expires_at === undefined ? null : Date.parse(key.expires_at),
    revoked_at: null,
    source: 'file',
    source_file: file,
    source_line: key.line,
    ...NOT_ROTATED,
  };
}

/** A value that was reported as leaked stays revoked until the file holds another one. */
function leak(row: PlatformKeyRow, { hash }: Declared): Partial<PlatformKeyRow> {
  if (typeof row.leaked_at !== 'number') return {};
  return row.hash === hash ? { revoked_at: row.revoked_at } : { leaked_at: null };
}

function rowOf(entry: Declared, nowMs: number): PlatformKeyRow {
  return {
    ...columnsOf(entry),
    id: newId('key', nowMs),
    org_id: entry.orgId,
    created_at: nowMs,
    created_by: 'file',
    updated_by: 'file',
    last_used_at: null,
    updated_at: nowMs,
  };
}

const KEYS: FileKind<PlatformKeyRow> = {
  kind: 'keys',
  subjectOf: ({ id }) => id,
  shown: platformKeyOf,
  insert: insertKey,
  update: (writer, { org_id, id }, change) => changeKey(writer, org_id, id, change),
};
