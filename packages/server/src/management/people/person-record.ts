import type { PersonRecordKind } from '@floe/contract/api/people';

/** Columns of relay records that exports contain. */
const RELAY_COLUMNS = [
  'id',
  'created_at',
  'event',
  'type',
  'decision',
  'enforced_decision',
  'rule',
  'mode',
  'state',
  'scope',
  'input_summary',
  'session_id',
  'tool_use_id',
  'agent',
  'agent_version',
  'client_version',
  'key_id',
  'key_name',
  'team',
  'owner',
  'repository',
  'cwd',
  'reason',
  'user_message',
  'agent_message',
  'matches_json',
  'findings_json',
  'event_json',
  'details_json',
  'rules_json',
  'decision_id',
  'approval_id',
  'expires_at',
  'decided_at',
  'note',
  'used_at',
] as const;

/** Columns that the export contains, by kind. Columns that are not listed are never exported. */
const EXPORTED_COLUMNS = {
  user: ['id', 'email', 'name', 'preferences_json', 'created_at', 'updated_at'],
  member_grant: ['issuer', 'role', 'team'],
  removed_member: ['user_id', 'removed_at'],
  identity: ['issuer', 'subject', 'created_at'],
  passkey: ['id', 'name', 'transports_json', 'backed_up', 'created_at', 'last_used_at'],
  console_session: [
    'id',
    'role',
    'method',
    'created_at',
    'last_seen_at',
    'expires_at',
    'ip_address',
    'user_agent',
    'issuer',
  ],
  invitation: ['id', 'email', 'role', 'team', 'created_at', 'expires_at', 'accepted_at', 'revoked_at'],
  saved_view: ['id', 'name', 'page', 'shared', 'filters_json', 'created_at', 'updated_at'],
  budget_counter: ['bucket', 'spent_nano_usd', 'ends_at', 'updated_at'],
  budget_alert: ['id', 'created_at', 'budget', 'bucket', 'fields_json'],
  relay_decision: RELAY_COLUMNS,
  relay_report: RELAY_COLUMNS,
  relay_approval: RELAY_COLUMNS,
  relay_session: [
    'session_id',
    'key_id',
    'key_name',
    'owner',
    'agent',
    'agent_version',
    'client_version',
    'first_seen_at',
    'last_seen_at',
    'model_requests',
    'last_model_request_at',
    'relay_calls',
    'last_relay_call_at',
  ],
} as const satisfies Partial<Record<PersonRecordKind, readonly string[]>>;

/** The kinds of objects that are exported as stored rows, because the API has no format for them. */
export type StoredPersonRecordKind = keyof typeof EXPORTED_COLUMNS;

/** Formats one object as a line of the export of a person's data. */
export function formatPersonRecord(kind: PersonRecordKind, fields: object): string {
  return `${JSON.stringify({ kind, ...fields })}\n`;
}

/**
 * Formats a stored row as a line of the export of a person's data, with timestamps in ISO 8601 and JSON columns
 * as JSON values.
 */
export function formatStoredPersonRecord(kind: StoredPersonRecordKind, row: object): string {
  const fields = EXPORTED_COLUMNS[kind].flatMap((column): (readonly [string, unknown])[] => {
    const value: unknown = Reflect.get(row, column);
    if (value === undefined) return [];
    if (column.endsWith('_json'))
      return [[column.slice(0, -5), typeof value === 'string' ? JSON.parse(value) : null]];
    return [[column, column.endsWith('_at') && typeof value === 'number' ? formatTime(value) : value]];
  });
  return formatPersonRecord(kind, Object.fromEntries(fields));
}

/** 0 represents a time that never comes. */
function formatTime(ms: number): string | null {
  return ms === 0 ? null : new Date(ms).toISOString();
}
