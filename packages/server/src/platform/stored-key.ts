import { keyStored, type PlatformKey } from '@floe/contract/api/keys';
import { SCOPES, type Scope } from '@floe/contract/scopes';
import { compilePatterns } from '../core/pattern.ts';
import type { PlatformKeyRow } from '../store/platform-keys.ts';
import { placeOf } from './file-place.ts';
import type { KeyRecord } from './keyring.ts';

/** Compiles a stored key for the keyring: its value, and the one before a rotation that still works. */
export function keyRecordsOf(row: PlatformKeyRow): KeyRecord[] {
  const record = keyRecordOf(row);
  const { previous_hash, previous_prefix, previous_last4, previous_until, rotated_at } = row;
  if (typeof previous_hash !== 'string' || typeof previous_until !== 'number') return [record];
  const ends = record.expiresAt === null ? previous_until : Math.min(previous_until, record.expiresAt);
  return [
    record,
    {
      ...record,
      hash: previous_hash,
      prefix: previous_prefix ?? record.prefix,
      last4: previous_last4 ?? record.last4,
      expiresAt: ends,
      supersededHeaders: supersededHeaders(rotated_at ?? previous_until, ends),
    },
  ];
}

/** `Deprecation` (RFC 9745) since when, `Sunset` (RFC 8594) until when. */
function supersededHeaders(sinceMs: number, untilMs: number): readonly string[] {
  const since = `@${Math.floor(sinceMs / 1000)}`;
  return ['deprecation', since, 'sunset', new Date(untilMs).toUTCString()];
}

/** The key with its present value. */
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
    supersededHeaders: null,
  };
}

/** A stored key as the API and the audit log show it: never its hash. */
export function platformKeyOf(row: PlatformKeyRow, nowMs: number): PlatformKey {
  const { name, ...plain } = keyStored.parse(row);
  return {
    id: row.id,
    name,
    prefix: row.prefix,
    last4: row.last4,
    status: statusOf(row, nowMs),
    scopes: scopesIn(row.scopes_json),
    models: textsIn(row.models_json),
    paths: textsIn(row.paths_json ?? null) ?? [],
    ...plain,
    created_at: momentOf(row.created_at),
    created_by: row.created_by,
    expires_at: row.expires_at === null ? null : momentOf(row.expires_at),
    revoked_at: row.revoked_at === null ? null : momentOf(row.revoked_at),
    last_used_at: row.last_used_at === null ? null : momentOf(row.last_used_at),
    rotated_at: typeof row.rotated_at === 'number' ? momentOf(row.rotated_at) : null,
    previous: previousOf(row, nowMs),
    source: placeOf(row),
    updated_at: momentOf(row.updated_at),
    updated_by: row.updated_by ?? null,
  };
}

function previousOf(row: PlatformKeyRow, nowMs: number): PlatformKey['previous'] {
  const { previous_prefix, previous_last4, previous_until, previous_last_used_at: used } = row;
  if (typeof previous_until !== 'number' || previous_until <= nowMs) return null;
  return {
    prefix: previous_prefix ?? '',
    last4: previous_last4 ?? '',
    expires_at: momentOf(previous_until),
    last_used_at: typeof used === 'number' ? momentOf(used) : null,
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
