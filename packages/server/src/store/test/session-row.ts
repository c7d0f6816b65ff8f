import type { ConsoleSessionRow } from '../console-sessions.ts';

/** A session that does not expire and that no cookie belongs to. */
export function createSessionRow(
  row: Pick<ConsoleSessionRow, 'id' | 'user_id' | 'org_id' | 'role'>,
): ConsoleSessionRow {
  return {
    ...row,
    token_sha256: row.id,
    previous_sha256: null,
    previous_until: 0,
    method: 'password',
    created_at: 1,
    last_seen_at: 1,
    expires_at: Date.UTC(2100, 0),
    stepped_up_until: 0,
    ip_address: '',
    user_agent: '',
  };
}
