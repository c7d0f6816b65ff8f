import { keyFieldsStoredAsIs, type PlatformKey } from '@floe/contract/api/keys';
import { KEY_SCOPES, type KeyScope } from '@floe/contract/scopes';
import { compileModelPatterns, type ModelPatternMatcher } from '../core/model-pattern.ts';
import type { PlatformKeyRow } from '../store/platform-keys.ts';
import type { SnapshotPlatformKeyRow } from '../store/snapshot-platform-keys.ts';
import type { KeyRecord } from './keyring.ts';
import { toResourceSource } from './source-location.ts';

/** The fields that many keys of an organization have in common. */
interface SharedFields {
  readonly orgId: string;
  readonly scopes: ReadonlySet<KeyScope>;
  readonly models: ModelPatternMatcher | null;
  readonly paths: readonly string[];
  readonly team: string | null;
}

/** The fields that most keys do not need. */
interface RareFields {
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly deprecationHeaders: readonly string[] | null;
}

/** The fields of one key value. */
interface OwnFields
  extends Pick<KeyRecord, 'id' | 'name' | 'owner' | 'hash' | 'prefix' | 'last4'>,
    RareFields {}

/**
 * Stores values that many keys have in common, such as scopes. Keys with the same value share one object,
 * which saves most of the memory of a key.
 */
export class InternedKeyFields {
  readonly texts = new Map<string, string>();
  readonly scopes = new Map<string, ReadonlySet<KeyScope>>();
  readonly models = new Map<string, ModelPatternMatcher | null>();
  readonly paths = new Map<string, readonly string[]>();
  readonly fields = new Map<string, SharedFields>();
}

function share<Value>(values: Map<string, Value>, text: string, create: (text: string) => Value): Value {
  const known = values.get(text);
  if (known !== undefined) return known;
  const value = create(text);
  values.set(text, value);
  return value;
}

const itself = (text: string) => text;

/** Number of characters in the column `last4`. */
const LAST_CHARS = 4;

/** The record of a stored key. Uses 300 bytes instead of 370 by sharing fields and joining texts. */
class StoredKeyRecord implements KeyRecord {
  readonly id: string;
  readonly name: string;
  readonly owner: string | null;
  readonly hash: string;
  /** The prefix and the last four characters. */
  readonly #ends: string;
  readonly #shared: SharedFields;
  readonly #rare: RareFields | null;

  constructor(own: OwnFields, shared: SharedFields) {
    this.id = own.id;
    this.name = own.name;
    this.owner = own.owner;
    this.hash = own.hash;
    // Joining with a buffer gives one flat string. `+` would keep both parts.
    this.#ends = Buffer.from(own.prefix + own.last4, 'latin1').toString('latin1');
    this.#shared = shared;
    const { expiresAt, revokedAt, deprecationHeaders: headers } = own;
    const isRare = expiresAt !== null || revokedAt !== null || headers !== null;
    this.#rare = isRare ? { expiresAt, revokedAt, deprecationHeaders: headers } : null;
  }

  get orgId(): string {
    return this.#shared.orgId;
  }

  get scopes(): ReadonlySet<KeyScope> {
    return this.#shared.scopes;
  }

  get models(): ModelPatternMatcher | null {
    return this.#shared.models;
  }

  get paths(): readonly string[] {
    return this.#shared.paths;
  }

  get team(): string | null {
    return this.#shared.team;
  }

  get expiresAt(): number | null {
    return this.#rare === null ? null : this.#rare.expiresAt;
  }

  get revokedAt(): number | null {
    return this.#rare === null ? null : this.#rare.revokedAt;
  }

  get deprecationHeaders(): readonly string[] | null {
    return this.#rare === null ? null : this.#rare.deprecationHeaders;
  }

  get prefix(): string {
    return this.#ends.slice(0, -LAST_CHARS);
  }

  get last4(): string {
    return this.#ends.slice(-LAST_CHARS);
  }
}

/**
 * Returns the lookup records for a stored key: one for its value, and one for the value before the last rotation,
 * if there is one. The record of the previous value has its own expiry time.
 */
export function toKeyRecords(row: SnapshotPlatformKeyRow, shared = new InternedKeyFields()): KeyRecord[] {
  const own = toOwnFields(row, shared);
  const fields = toSharedFields(row, shared);
  const record = new StoredKeyRecord(own, fields);
  const { previous_hash, previous_prefix, previous_last4, previous_until, rotated_at } = row;
  if (typeof previous_hash !== 'string' || typeof previous_until !== 'number') return [record];
  const ends = own.expiresAt === null ? previous_until : Math.min(previous_until, own.expiresAt);
  const previous = {
    ...own,
    hash: previous_hash,
    prefix: previous_prefix ?? own.prefix,
    last4: previous_last4 ?? own.last4,
    expiresAt: ends,
    deprecationHeaders: deprecationHeaders(rotated_at ?? previous_until, ends),
  };
  return [record, new StoredKeyRecord(previous, fields)];
}

/** `Deprecation` (RFC 9745) with the start, `Sunset` (RFC 8594) with the end. */
function deprecationHeaders(sinceMs: number, untilMs: number): readonly string[] {
  const since = `@${Math.floor(sinceMs / 1000)}`;
  return ['deprecation', since, 'sunset', new Date(untilMs).toUTCString()];
}

/** Returns the lookup record for a stored key's current value. */
export function toKeyRecord(row: SnapshotPlatformKeyRow, shared = new InternedKeyFields()): KeyRecord {
  return new StoredKeyRecord(toOwnFields(row, shared), toSharedFields(row, shared));
}

function toOwnFields(row: SnapshotPlatformKeyRow, { texts }: InternedKeyFields): OwnFields {
  return {
    id: row.id,
    name: row.name,
    owner: row.owner === null ? null : share(texts, row.owner, itself),
    hash: row.hash,
    prefix: row.prefix,
    last4: row.last4,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    deprecationHeaders: null,
  };
}

function toSharedFields(row: SnapshotPlatformKeyRow, shared: InternedKeyFields): SharedFields {
  const { org_id, scopes_json, models_json, paths_json = null, team } = row;
  return share(shared.fields, JSON.stringify([org_id, scopes_json, models_json, paths_json, team]), () => ({
    orgId: share(shared.texts, org_id, itself),
    scopes: share(shared.scopes, scopes_json, (json) => new Set(parseScopes(json))),
    models: models_json === null ? null : share(shared.models, models_json, parsePatterns),
    paths: share(shared.paths, paths_json ?? '[]', (json) => parseStrings(json) ?? []),
    team: team === null ? null : share(shared.texts, team, itself),
  }));
}

function parsePatterns(json: string): ModelPatternMatcher | null {
  const models = parseStrings(json);
  return models && compileModelPatterns(models);
}

/** Converts a stored key to the form that the API and the audit log use, without its hash. */
export function toPlatformKeyResource(row: PlatformKeyRow, nowMs: number): PlatformKey {
  const { name, ...plain } = keyFieldsStoredAsIs.parse(row);
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
