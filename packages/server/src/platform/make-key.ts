import type { KeyObject } from 'node:crypto';
import type { Scope } from '@floe/contract/scopes';
import { newId } from '../core/ids.ts';
import type { PlatformKeyRow } from '../store/platform-keys.ts';
import { keyHint, newKey } from './key-format.ts';
import { hashKey } from './keyring.ts';

/** A new platform key and the row that stands for it: the value is in no column and must be shown now. */
export function makeKey(
  pepper: KeyObject,
  given: {
    readonly orgId: string;
    readonly name: string;
    readonly scopes: readonly Scope[];
    /** Who makes it. */
    readonly by: string;
    readonly nowMs: number;
  },
  columns: Partial<PlatformKeyRow> = {},
): { readonly key: string; readonly row: PlatformKeyRow } {
  const { orgId, name, scopes, by, nowMs } = given;
  const key = newKey();
  const row: PlatformKeyRow = {
    id: newId('key', nowMs),
    org_id: orgId,
    name,
    hash: hashKey(pepper, key),
    ...keyHint(key),
    scopes_json: JSON.stringify(scopes),
    models_json: null,
    paths_json: null,
    team: null,
    owner: null,
    created_at: nowMs,
    created_by: by,
    expires_at: null,
    revoked_at: null,
    last_used_at: null,
    source: 'console',
    source_line: null,
    updated_at: nowMs,
    ...columns,
  };
  return { key, row };
}
