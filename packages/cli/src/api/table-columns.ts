import { isRecord } from './api-operations.ts';

type Row = Readonly<Record<string, unknown>>;

/** A column of a table: where its values are in a row, and how they are shown. */
export interface Column {
  readonly title: string;
  /** Paths of members, such as `usage.input_tokens`. Without `format` the first one that has a value is shown. */
  readonly paths: readonly string[];
  readonly format?: (...values: readonly unknown[]) => unknown;
  /** Never shortened: its values are copied into other commands. */
  readonly whole?: boolean;
}

function column(title: string, paths: string | readonly string[], format?: Column['format']): Column {
  return { title, paths: [paths].flat(), ...(format && { format }) };
}

const usd = (value: unknown) => (isMissing(value) ? undefined : `$${String(value)}`);
const namesIn = (member: string) => (list: unknown) =>
  Array.isArray(list) ? list.map((entry) => (isRecord(entry) ? entry[member] : entry)) : undefined;

const whole = (title: string, path: string): Column => ({ title, paths: [path], whole: true });

const id = whole('ID', 'id');
const name = column('NAME', 'name');
const source = column('SOURCE', 'source');
const created = column('CREATED', 'created_at');
const updated = column('UPDATED', 'updated_at');

const SUBJECT_PATHS = ['scope', 'per', 'team', 'key', 'owner', 'end_user', 'model'];
const appliesTo = column('APPLIES TO', SUBJECT_PATHS, (scope, per, ...rest) => {
  const model = rest.pop();
  const named = rest.find((value) => !isMissing(value));
  const words = [isMissing(per) ? scope : `each ${per}`, named, isMissing(model) ? undefined : `on ${model}`];
  return words.filter((word) => !isMissing(word)).join(' ');
});

const REQUEST_COLUMNS = [
  column('TIME', 'created_at'),
  id,
  column('MODEL', ['model', 'model_requested']),
  column('PROVIDER', 'provider'),
  column('STATUS', 'status'),
  column('OUTCOME', 'outcome'),
  column('ERROR', 'error_code'),
  column('IN', 'usage.input_tokens'),
  column('OUT', 'usage.output_tokens'),
  column('COST', 'cost_usd', usd),
  column('KEY', 'key_name'),
];

/** The columns of each list, by the words of its command. Every list of pages has its own. */
export const TABLE_COLUMNS: Readonly<Record<string, readonly Column[]>> = {
  'alerts list': [
    column('TIME', 'at'),
    id,
    column('EVENT', 'event'),
    column('SUBJECT', ['subject.name', 'subject.id']),
    column('TITLE', 'title'),
    column('CLOSED', 'closed_at'),
    column('DELIVERIES', 'deliveries', namesIn('state')),
  ],
  'analytics top': [
    column('VALUE', ['name', 'value']),
    column('REQUESTS', 'requests'),
    column('ERRORS', 'errors'),
    column('IN', 'input_tokens'),
    column('OUT', 'output_tokens'),
    column('COST', 'cost_usd', usd),
    column('SAVED', 'saved_usd', usd),
  ],
  'annotations list': [
    column('TIME', 'at'),
    column('KIND', 'kind'),
    column('TEXT', 'text'),
    column('BY', ['actor_name', 'actor']),
  ],
  'audit anchors': [column('SEQ', 'seq'), column('TIME', 'at'), whole('HASH', 'hash')],
  'audit list': [
    column('TIME', 'at'),
    id,
    column('ACTOR', ['actor_name', 'actor']),
    column('ACTION', 'action'),
    column('SUBJECT', 'subject'),
    column('REASON', 'reason'),
    column('IP ADDRESS', 'ip_address'),
  ],
  'boards list': [id, name, column('PUBLIC', 'public'), whole('URL', 'url'), source],
  'breakers history': [column('TIME', 'at'), id, column('STATE', 'state'), column('BECAUSE', 'because')],
  'breakers list': [
    id,
    column('STATE', ['state', 'forced.state'], (state, forced) =>
      isMissing(forced) ? state : `forced ${forced}`,
    ),
    column('FORCED UNTIL', 'forced.until'),
    column('OK', 'calls.ok'),
    column('FAILED', 'calls.failed'),
    column('SLOW', 'calls.slow'),
    column('WAIT MS', 'wait_ms'),
    column('BECAUSE', ['forced.reason', 'because']),
  ],
  'budgets list': [
    id,
    name,
    appliesTo,
    column('PERIOD', 'period'),
    column('MODE', 'mode'),
    column('SPENT', 'state.spent_usd', usd),
    column('LIMIT', 'limit_usd', usd),
    column('REMAINING', 'state.remaining_usd', usd),
    column('RESETS', 'state.resets_at'),
    source,
  ],
  'channels list': [
    id,
    column('KIND', 'kind'),
    column('ENABLED', 'enabled'),
    column('EVENTS', 'events'),
    column('TAGS', 'tags'),
    column('FAILURES', 'failures'),
    column('BACKOFF UNTIL', 'backoff_until'),
    source,
  ],
  'credentials list': [
    name,
    column('LAST4', 'last4'),
    column('WEIGHT', 'weight'),
    column('ORIGIN', 'origin'),
    column('TESTED', 'tested_at'),
    source,
  ],
  'invitations list': [
    id,
    column('EMAIL', 'email'),
    column('ROLE', 'role'),
    column('TEAM', 'team'),
    column('STATUS', 'status'),
    created,
    column('EXPIRES', 'expires_at'),
  ],
  'keys list': [
    id,
    name,
    column('STATUS', 'status'),
    column('PREFIX', 'prefix'),
    column('SCOPES', 'scopes'),
    column('TEAM', 'team'),
    column('OWNER', 'owner'),
    column('EXPIRES', 'expires_at'),
    column('LAST USED', 'last_used_at'),
    source,
  ],
  'limits list': [
    id,
    name,
    appliesTo,
    column('RPM USED', 'state.rpm_used'),
    column('RPM', 'rpm'),
    column('TPM USED', 'state.tpm_used'),
    column('TPM', 'tpm'),
    column('CONCURRENCY USED', 'state.concurrency_used'),
    column('CONCURRENCY', 'concurrency'),
    source,
  ],
  'maintenance list': [
    id,
    name,
    column('STARTS', 'starts_at'),
    column('ENDS', 'ends_at'),
    column('CRON', 'schedule.cron'),
    column('MINUTES', 'duration_minutes'),
    column('ACTIVE UNTIL', 'active_until'),
    column('MONITORS', 'monitors'),
    column('TAGS', 'tags'),
  ],
  'members list': [
    id,
    column('EMAIL', 'email'),
    name,
    column('ROLE', 'role'),
    column('TEAM', 'team'),
    column('SOURCE', 'source'),
    created,
  ],
  'models list': [
    id,
    column('KIND', 'kind'),
    column('PROVIDER', 'provider'),
    column('CONTEXT', 'context_window'),
    column('MAX OUTPUT', 'max_output_tokens'),
    column('ALIASES', 'aliases'),
    column('TARGETS', 'targets'),
  ],
  'monitors checks': [
    column('TIME', 'detected_at'),
    id,
    column('STATUS', 'status'),
    column('EXPECTED', 'expected_at'),
    column('RECEIVED', 'received_at'),
    column('DURATION MS', 'duration_ms'),
    column('MISSED', 'missed_count'),
    column('ERROR', 'error'),
  ],
  'monitors list': [
    id,
    column('STATUS', 'status'),
    column('LAST BEAT', 'last_beat_at'),
    column('NEXT DUE', 'next_due_at'),
    name,
  ],
  'monitors periods': [
    column('STARTED', 'started_at'),
    column('ENDED', 'ended_at'),
    column('STATUS', 'status'),
    column('REASON', 'reason'),
  ],
  'operators list': [
    whole('USER ID', 'user_id'),
    column('EMAIL', 'email'),
    name,
    column('GRANTED', 'granted_at'),
    column('GRANTED BY', 'granted_by'),
  ],
  'policies list': [
    id,
    column('ENABLED', 'enabled'),
    column('MODE', 'mode'),
    column('ON', 'on'),
    column('ACTION', 'action'),
    column('WHEN', 'when'),
    column('DETECT', ['detect.secrets', 'detect.pii'], (secrets, pii) => [
      ...(secrets === true ? ['secrets'] : []),
      ...(Array.isArray(pii) ? pii : []),
    ]),
    source,
  ],
  'providers list': [
    id,
    column('KIND', 'kind'),
    column('ENABLED', 'enabled'),
    column('BASE URL', ['base_url', 'origin']),
    column('CREDENTIALS', 'credentials', namesIn('name')),
    column('MODELS', 'models'),
    column('PROBLEM', 'problem'),
    source,
  ],
  'relay approvals': [
    column('TIME', 'created_at'),
    id,
    column('STATE', 'state'),
    column('EVENT', 'event'),
    column('INPUT', 'input_summary'),
    column('RULES', 'rules'),
    column('AGENT', 'agent'),
    column('KEY', 'key'),
    column('EXPIRES', 'expires_at'),
  ],
  'relay coverage': [
    column('OWNER', 'owner'),
    column('KEY', 'key'),
    column('AGENT', 'agent'),
    column('SESSIONS', 'sessions'),
    column('COVERED', 'covered_sessions'),
    column('MODEL REQUESTS', 'model_requests'),
    column('RELAY CALLS', 'relay_calls'),
    column('LAST RELAY CALL', 'last_relay_call_at'),
  ],
  'relay decisions': [
    column('TIME', 'created_at'),
    id,
    column('DECISION', 'decision'),
    column('ENFORCED', 'enforced_decision'),
    column('RULE', 'rule'),
    column('EVENT', 'event'),
    column('INPUT', 'input_summary'),
    column('AGENT', 'agent'),
    column('KEY', 'key'),
  ],
  'relay events': [
    column('TIME', 'created_at'),
    id,
    column('TYPE', 'type'),
    column('AGENT', 'agent'),
    whole('SESSION', 'session_id'),
    column('OWNER', 'owner'),
    column('KEY', 'key'),
  ],
  'relay sessions': [
    column('LAST SEEN', 'last_seen_at'),
    whole('SESSION', 'session_id'),
    column('AGENT', 'agent'),
    column('OWNER', 'owner'),
    column('KEY', 'key'),
    column('MODEL REQUESTS', 'model_requests'),
    column('RELAY CALLS', 'relay_calls'),
    column('COVERED', 'covered'),
  ],
  'relay-rules list': [
    id,
    column('NAME', 'rule.name'),
    column('MODE', 'mode'),
    column('DECISION', 'rule.decision'),
    column('ON', 'rule.on'),
    column('MATCHES', 'match_count'),
    source,
  ],
  'removed-members list': [
    whole('USER ID', 'user_id'),
    column('EMAIL', 'email'),
    name,
    column('REMOVED', 'removed_at'),
    column('REMOVED BY', 'removed_by'),
  ],
  'requests list': REQUEST_COLUMNS,
  'requests tail': REQUEST_COLUMNS,
  'routes list': [
    id,
    column('ENABLED', 'enabled'),
    column('STRATEGY', 'strategy'),
    column('TARGETS', 'targets', namesIn('model')),
    column('RETRIES', 'retries'),
    column('RESCUE', 'rescue'),
    column('CACHE', 'cache'),
    source,
  ],
  'teams list': [id, name, column('COST CENTER', 'cost_center'), updated, source],
  'views list': [id, name, column('PAGE', 'page'), column('SHARED', 'shared'), column('OWN', 'own'), updated],
};

/** What a row shows in a column. */
export function readCell(row: Row, { paths, format }: Column): unknown {
  const values = paths.map((path) => readPath(row, path));
  return format ? format(...values) : values.find((value) => !isMissing(value));
}

function readPath(row: Row, path: string): unknown {
  let value: unknown = row;
  for (const member of path.split('.')) value = isRecord(value) ? value[member] : undefined;
  return value;
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}
