import type { storedKeyFields } from '@floe/contract/api/keys';
import type * as z from 'zod';

export interface PlatformKeysTable extends z.output<typeof storedKeyFields> {
  id: string;
  org_id: string;
  /** HMAC-SHA-256 of the key with the installation's pepper, hex. The key is not stored. */
  hash: string;
  /** First characters, to recognize a key in a list: `eis_AbCd`. */
  prefix: string;
  last4: string;
  scopes_json: string;
  /** Patterns of allowed model ids. Null for all models of the organization. */
  models_json: string | null;
  /** Paths without a model that a key with `models_json` may use. Null for none. */
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
  /** The value before the last rotation. It works until `previous_until`. */
  previous_hash?: string | null | undefined;
  previous_prefix?: string | null | undefined;
  previous_last4?: string | null | undefined;
  previous_until?: number | null | undefined;
  /** Up to a minute old. */
  previous_last_used_at?: number | null | undefined;
  rotated_at?: number | null | undefined;
  /** The idempotency key of the rotation. */
  rotation_id?: string | null | undefined;
  /** When its current value was reported as leaked. floe.yaml does not restore that value. */
  leaked_at?: number | null | undefined;
  /** Product that issued its current value. Null for a value that Floe generated. */
  imported_from?: string | null | undefined;
}

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
  /** Name of the key or address of the member at that time. */
  actor_name: string | null;
  /** IP address of the request. Null without a request. */
  ip_address: string | null;
  /** Id of the console session. */
  session_id: string | null;
  /** Position in the organization's chain, starting at 1. Null for entries from before the chain. */
  seq: number | null;
  /** Hash of the entry and of the previous hash, see `computeAuditEntryHash`. */
  hash: string | null;
}
