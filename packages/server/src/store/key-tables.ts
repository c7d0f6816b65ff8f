import type { storedKeyFields } from '@floe/contract/api/keys';
import type * as z from 'zod';

export interface PlatformKeysTable extends z.output<typeof storedKeyFields> {
  id: string;
  org_id: string;
  /** HMAC-SHA-256 of the key with the installation's pepper, hex. The key itself is never stored. */
  hash: string;
  /** First characters, enough to recognise a key in a list: `eis_AbCd`. */
  prefix: string;
  last4: string;
  scopes_json: string;
  /** Patterns of model ids the key may use; null for every model of the org. */
  models_json: string | null;
  /** Paths without a model that a key with `models_json` may use; null for none. */
  paths_json?: string | null | undefined;
  created_at: number;
  created_by: string | null;
  expires_at: number | null;
  revoked_at: number | null;
  last_used_at: number | null;
  /** `file` when it stands in floe.yaml, else `console`. */
  source: string;
  source_file?: string | null | undefined;
  source_line: number | null;
  updated_at: number;
  /** Null while nobody is known to have changed it. */
  updated_by?: string | null | undefined;
  /** The value before the last rotation, which works until `previous_until`. */
  previous_hash?: string | null | undefined;
  previous_prefix?: string | null | undefined;
  previous_last4?: string | null | undefined;
  previous_until?: number | null | undefined;
  /** Up to a minute behind. */
  previous_last_used_at?: number | null | undefined;
  rotated_at?: number | null | undefined;
  /** Stands for the rotation's idempotency key. */
  rotation_id?: string | null | undefined;
  /** When its present value was reported as leaked; floe.yaml does not bring that value back. */
  leaked_at?: number | null | undefined;
  /** Product that issued its present value; null for a value of our own. */
  imported_from?: string | null | undefined;
}

export interface AuditTable {
  id: string;
  org_id: string;
  at: number;
  /** Who did it: a key id, a member id, `file` or `setup`. */
  actor: string;
  /** Verb as `keys.create`. */
  action: string;
  subject: string;
  before_json: string | null;
  after_json: string | null;
  /** Why, in the words of who did it. */
  reason: string | null;
  /** Name of the key or address of the member, as it was then. */
  actor_name: string | null;
  /** IP address that the change came from; null where no request made it. */
  ip_address: string | null;
  /** The console session that made it. */
  session_id: string | null;
  /** Place in the org's chain, from 1; null for entries from before there was one. */
  seq: number | null;
  /** Of the entry and of the hash before it, see `computeEntryHash`. */
  hash: string | null;
}
