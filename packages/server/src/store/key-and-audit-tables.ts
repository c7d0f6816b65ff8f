import type { keyFieldsStoredAsIs } from '@floe/contract/api/keys';
import type * as z from 'zod';

/** The platform keys of all organizations, including revoked ones. */
export interface PlatformKeysTable extends z.output<typeof keyFieldsStoredAsIs> {
  id: string;
  org_id: string;
  /** HMAC-SHA-256 of the key with the installation's pepper, hex. The key is not stored. */
  hash: string;
  /** First characters, to recognize a key in a list: `eis_AbCd`. */
  prefix: string;
  last4: string;
  scopes_json: string;
  /** Patterns of allowed model ids, as JSON. Null if all models of the organization are allowed. */
  models_json: string | null;
  /** Paths without a model that a key with `models_json` may use, as JSON. Null for none. */
  paths_json?: string | null | undefined;
  created_at: number;
  created_by: string | null;
  expires_at: number | null;
  revoked_at: number | null;
  last_used_at: number | null;
  /** `file` or `console`. */
  source: string;
  source_file?: string | null | undefined;
  source_line: number | null;
  updated_at: number;
  /** Null if it is unknown. */
  updated_by?: string | null | undefined;
  /** Hash of the value before the last rotation. That value is accepted until `previous_until`. */
  previous_hash?: string | null | undefined;
  previous_prefix?: string | null | undefined;
  previous_last4?: string | null | undefined;
  previous_until?: number | null | undefined;
  /** When the previous value was last used. Up to a minute old. */
  previous_last_used_at?: number | null | undefined;
  rotated_at?: number | null | undefined;
  /** The idempotency key of the rotation. */
  rotation_id?: string | null | undefined;
  /** When the key's current value was reported as leaked. floe.yaml does not restore that value. */
  leaked_at?: number | null | undefined;
  /** Product that issued the key's current value. Null for a value that Floe generated. */
  imported_from?: string | null | undefined;
}

/** The audit log. The entries of an organization form a chain of hashes. */
export interface AuditTable {
  id: string;
  org_id: string;
  at: number;
  /** A key id, a member id, `file` or `setup`. */
  actor: string;
  /** Operation such as `keys.create`. */
  action: string;
  subject: string;
  before_json: string | null;
  after_json: string | null;
  /** The reason that the actor gave. */
  reason: string | null;
  /** Name of the key or email address of the member when the entry was written. */
  actor_name: string | null;
  /** IP address of the client. Null for a change without a request. */
  ip_address: string | null;
  /** Id of the console session. */
  session_id: string | null;
  /** Position in the organization's chain, starting at 1. Null for entries from before the chain. */
  seq: number | null;
  /** Hash of this entry and of the previous entry's hash (`computeAuditEntryHash`). */
  hash: string | null;
}
