import type { PlatformKey } from '@floe/contract/api/keys';
import { SCOPES, type Scope } from '@floe/contract/scopes';
import { compilePatterns } from '../core/pattern.ts';
import type { PlatformKeyRow } from '../store/platform-keys.ts';
import type { KeyRecord } from './keyring.ts';

/** Compiles a stored key for the keyring. */
export function keyRecordOf(row: PlatformKeyRow): KeyRecord {
  const models = textsIn(row.models_json);
  return {
    id: row.id,
    orgId: row.org_id,
    name: row.name,
    scopes: new Set(scopesIn(row.scopes_json)),
    models: models && compilePatterns(models),
    paths: textsIn(row.paths_json ?? null) ?? [],
    team: row.team,
    owner: row.owner,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    hash: row.hash,
    prefix: row.prefix,
    last4: row.last4,
  };
}

/** A stored key as the API and the audit log show it: never its hash. */
export function platformKeyOf(row: PlatformKeyRow, nowMs: number): PlatformKey {
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    last4: row.last4,
    status: statusOf(row, nowMs),
    scopes: scopesIn(row.scopes_json),
    models: textsIn(row.models_json),
    paths: textsIn(row.paths_json ?? null) ?? [],
    team: row.team,
    owner: row.owner,
    created_at: momentOf(row.created_at),
    created_by: row.created_by,
    expires_at: row.expires_at === null ? null : momentOf(row.expires_at),
    revoked_at: row.revoked_at === null ? null : momentOf(row.revoked_at),
    last_used_at: row.last_used_at === null ? null : momentOf(row.last_used_at),
    source: placeOf(row),
    updated_at: momentOf(row.updated_at),
  };
}

function statusOf(row: PlatformKeyRow, nowMs: number): PlatformKey['status'] {
  if (row.revoked_at !== null) return 'revoked';
  return row.expires_at !== null && row.expires_at <= nowMs ? 'expired' : 'active';
}

function momentOf(ms: number): string {
  return new Date(ms).toISOString();
}

/** Scopes of a later release, met after a downgrade, grant nothing. */
function scopesIn(json: string): Scope[] {
  const stored = textsIn(json) ?? [];
  return SCOPES.filter((scope) => stored.includes(scope));
}

function textsIn(json: string | null): string[] | null {
  if (json === null) return null;
  const value: unknown = JSON.parse(json);
  if (!Array.isArray(value)) throw new Error('a stored list is no list');
  return value.filter((entry) => typeof entry === 'string');
}

/** Where a row is written, as every answer says it. */
export function placeOf({
  source,
  source_line,
}: {
  readonly source: string;
  readonly source_line: number | null;
}) {
  return source === 'file'
    ? { kind: 'file' as const, file: 'floe.yaml', line: source_line }
    : { kind: 'console' as const, file: null, line: null };
}
