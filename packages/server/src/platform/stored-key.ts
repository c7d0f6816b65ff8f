import { type PlatformKey, storedKeyFields } from '@floe/contract/api/keys';
import { KEY_SCOPES, type KeyScope } from '@floe/contract/scopes';
import { compilePatterns, type PatternMatcher } from '../core/pattern.ts';
import type { PlatformKeyRow } from '../store/platform-keys.ts';
import type { SnapshotPlatformKeyRow } from '../store/snapshot-platform-keys.ts';
import type { KeyRecord } from './keyring.ts';
import { toResourceSource } from './source-location.ts';

/**
 * Values that many keys have in common. Keys with the same value share one object, which saves most
 * of the memory of a key.
 */
export class SharedKeyValues {
  readonly texts = new Map<string, string>();
  readonly scopes = new Map<string, ReadonlySet<KeyScope>>();
  readonly models = new Map<string, PatternMatcher | null>();
  readonly paths = new Map<string, readonly string[]>();
}

function share<Value>(values: Map<string, Value>, text: string, create: (text: string) => Value): Value {
  const known = values.get(text);
  if (known !== undefined) return known;
  const value = create(text);
  values.set(text, value);
  return value;
}

const itself = (text: string) => text;

/**
 * Returns the lookup records for a stored key: one for its value, and one for the previous value
 * while that is still valid.
 */
export function toKeyRecords(row: SnapshotPlatformKeyRow, shared = new SharedKeyValues()): KeyRecord[] {
  const record = toKeyRecord(row, shared);
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
      deprecationHeaders: deprecationHeaders(rotated_at ?? previous_until, ends),
    },
  ];
}

/** `Deprecation` (RFC 9745) with the start, `Sunset` (RFC 8594) with the end. */
function deprecationHeaders(sinceMs: number, untilMs: number): readonly string[] {
  const since = `@${Math.floor(sinceMs / 1000)}`;
  return ['deprecation', since, 'sunset', new Date(untilMs).toUTCString()];
}

/** Returns the lookup record for a stored key's current value. */
export function toKeyRecord(row: SnapshotPlatformKeyRow, shared = new SharedKeyValues()): KeyRecord {
  const { texts, scopes, models, paths } = shared;
  return {
    id: row.id,
    orgId: share(texts, row.org_id, itself),
    name: row.name,
    scopes: share(scopes, row.scopes_json, (json) => new Set(parseScopes(json))),
    models: row.models_json === null ? null : share(models, row.models_json, parsePatterns),
    paths: share(paths, row.paths_json ?? '[]', (json) => parseStrings(json) ?? []),
    team: row.team === null ? null : share(texts, row.team, itself),
    owner: row.owner === null ? null : share(texts, row.owner, itself),
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    hash: row.hash,
    prefix: row.prefix,
    last4: row.last4,
    deprecationHeaders: null,
  };
}

function parsePatterns(json: string): PatternMatcher | null {
  const models = parseStrings(json);
  return models && compilePatterns(models);
}

/** Converts a stored key to the form that the API and the audit log use, without its hash. */
export function toPlatformKey(row: PlatformKeyRow, nowMs: number): PlatformKey {
  const { name, ...plain } = storedKeyFields.parse(row);
  return {
    id: row.id,
    name,
    prefix: row.prefix,
    last4: row.last4,
    status: keyStatus(row, nowMs),
    scopes: parseScopes(row.scopes_json),
    models: parseStrings(row.models_json),
    paths: parseStrings(row.paths_json ?? null) ?? [],
    ...plain,
    imported_from: row.imported_from ?? null,
    created_at: toIsoString(row.created_at),
    created_by: row.created_by,
    expires_at: row.expires_at === null ? null : toIsoString(row.expires_at),
    revoked_at: row.revoked_at === null ? null : toIsoString(row.revoked_at),
    last_used_at: row.last_used_at === null ? null : toIsoString(row.last_used_at),
    rotated_at: typeof row.rotated_at === 'number' ? toIsoString(row.rotated_at) : null,
    previous: previousValueView(row, nowMs),
    source: toResourceSource(row),
    updated_at: toIsoString(row.updated_at),
    updated_by: row.updated_by ?? null,
  };
}

function previousValueView(row: PlatformKeyRow, nowMs: number): PlatformKey['previous'] {
  const { previous_prefix, previous_last4, previous_until, previous_last_used_at: used } = row;
  if (typeof previous_until !== 'number' || previous_until <= nowMs) return null;
  return {
    prefix: previous_prefix ?? '',
    last4: previous_last4 ?? '',
    expires_at: toIsoString(previous_until),
    last_used_at: typeof used === 'number' ? toIsoString(used) : null,
  };
}

function keyStatus(row: PlatformKeyRow, nowMs: number): PlatformKey['status'] {
  if (row.revoked_at !== null) return 'revoked';
  return row.expires_at !== null && row.expires_at <= nowMs ? 'expired' : 'active';
}

function toIsoString(ms: number): string {
  return new Date(ms).toISOString();
}

/** Unknown scopes of a later release grant nothing. */
function parseScopes(json: string): KeyScope[] {
  const stored = parseStrings(json) ?? [];
  return KEY_SCOPES.filter((scope) => stored.includes(scope));
}

function parseStrings(json: string | null): string[] | null {
  if (json === null) return null;
  const value: unknown = JSON.parse(json);
  if (!Array.isArray(value)) throw new Error('a stored list is not an array');
  return value.filter((entry) => typeof entry === 'string');
}
