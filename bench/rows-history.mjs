// Relay decisions, sessions, approvals, alerts with deliveries, breaker changes and stored contents, generated in SQL.
import { skewed, spread } from './rows-sql.mjs';

/** Number of rows of each table per million requests. */
const PER_MILLION = {
  relay_decisions: 400_000,
  relay_reports: 200_000,
  relay_sessions: 40_000,
  relay_approvals: 10_000,
  alerts: 20_000,
  alert_deliveries: 40_000,
  breaker_changes: 20_000,
  stored_bodies: 40_000,
  stored_responses: 40_000,
};

/** Loads every table in proportion to `rows` requests. */
export async function loadHistory(sql, { rows, days, endMs, report }) {
  for (const [table, each] of Object.entries(PER_MILLION)) {
    const count = Math.max(50, Math.round((rows / 1_000_000) * each));
    // The oldest row is the first one.
    const stepMs = Math.max(1, Math.floor((days * 86_400_000) / count));
    const at = `(${endMs} - (${count} - n) * ${stepMs})`;
    const columns = TABLES[table]({
      at,
      id: (prefix) => `'${prefix}_' || ${sql.hex(at)} || ${sql.pad('n')}`,
      count,
    });
    const names = Object.keys(columns);
    await sql.query(`insert into ${table} (${names.join(', ')})
      select ${names.map((name) => columns[name]).join(', ')} from ${sql.series(count)}`);
    report(`${count} ${table}`);
  }
}

const ORG = `case when n % 10 < 9 then 'acme' else 'org-' || (1 + n % 20) end`;
const KEY = skewed(2, 60);
const OWNER = `case when ${KEY} % 2 = 0 then 'person-' || ${KEY} || '@example.com' end`;
const caller = {
  key_id: `'key_' || ${KEY}`,
  key_name: `'name ' || ${KEY}`,
  owner: OWNER,
};
const AGENT = `case ${skewed(4, 4)} when 0 then 'claude-code' when 1 then 'codex' when 2 then 'cursor' else 'copilot' end`;
const DECISION = `case when n % 50 = 0 then 'deny' when n % 200 = 1 then 'ask' else 'allow' end`;

const TABLES = {
  relay_decisions: ({ at, id }) => ({
    id: id('dec'),
    org_id: ORG,
    created_at: at,
    event: `case n % 5 when 0 then 'tool' when 1 then 'prompt' when 2 then 'file_read' else 'shell' end`,
    decision: DECISION,
    enforced_decision: DECISION,
    rule: `case when n % 50 = 0 then 'rule-' || ${skewed(5, 20)} when n % 20000 = 3 then 'rule-rare' end`,
    mode: `case when n % 50 = 0 then 'enforce' when n % 20000 = 3 then 'observe' end`,
    input_summary: `'git commit -m "change ' || n || '" --author nobody'`,
    session_id: `'ses-' || (n / 40)`,
    agent: AGENT,
    agent_version: `'1.2.3'`,
    client_version: `'0.9.0'`,
    ...caller,
    team: `'team-' || (${KEY} % 7)`,
    repository: `'git.example.com/team/repository-' || ${skewed(6, 200)}`,
    cwd: `'/home/someone/repository'`,
    matches_json: `'[]'`,
    findings_json: `'[]'`,
    event_json: `'{"event":"shell","command":"git commit -m change ' || n || '","cwd":"/home/someone/repository"}'`,
    latency_us: spread(7, 900),
  }),
  relay_reports: ({ at, id }) => ({
    id: id('rep'),
    org_id: ORG,
    created_at: at,
    type: `case when n % 20000 = 3 then 'session_start' when n % 4 = 0 then 'file_edit' else 'tool_result' end`,
    session_id: `'ses-' || (n / 20)`,
    agent: AGENT,
    ...caller,
    details_json: `'{"tool":"Bash"}'`,
  }),
  relay_sessions: ({ at }) => ({
    org_id: ORG,
    session_id: `'ses-' || n`,
    ...caller,
    agent: AGENT,
    agent_version: `'1.2.3'`,
    client_version: `case when n % 3 > 0 then '0.9.0' end`,
    first_seen_at: `${at} - 600000`,
    last_seen_at: at,
    model_requests: spread(8, 60),
    last_model_request_at: at,
    relay_calls: `case when n % 7 = 0 then 0 else ${spread(9, 80)} end`,
    last_relay_call_at: `case when n % 7 > 0 then ${at} end`,
  }),
  relay_approvals: ({ at, id, count }) => ({
    id: id('apr'),
    org_id: ORG,
    created_at: at,
    expires_at: `${at} + 300000`,
    state: `case when n > ${count} - 20 then 'waiting' when n % 2000 = 0 then 'denied' when n % 3 = 0 then 'waiting' else 'allowed' end`,
    scope: `case when n % 3 > 0 then 'once' end`,
    decision_id: id('dec'),
    event: `'shell'`,
    rules_json: `'["rule-1"]'`,
    input_hash: `'hash'`,
    session_id: `'ses-' || n`,
    agent: AGENT,
    ...caller,
    input_summary: `'rm -r build'`,
    reason: `'The command deletes files.'`,
  }),
  alerts: ({ at, id, count }) => ({
    seq: 'n + 1000',
    id: id('alt'),
    org_id: ORG,
    idempotency_key: `'bench-' || n`,
    at,
    event: `case when n % 20000 = 3 then 'monitor_recovered' else 'monitor_failing' end`,
    phase: `'opens'`,
    subject_kind: `'monitor'`,
    subject_id: `'job-' || ${skewed(3, 10_000)}`,
    subject_name: `'job'`,
    fields_json: `'{"failingSinceMs":' || ${at} || ',"error":"No beat came.","lastBeatMs":null,"downtimeMs":60000,"tags":["team-a"]}'`,
    routed_at: at,
    closed_at: `case when n < ${count} - 50 then ${at} + 60000 end`,
  }),
  alert_deliveries: ({ at, id, count }) => ({
    seq: 'n + 1000',
    id: id('del'),
    org_id: ORG,
    alert_id: `(select id from alerts where alerts.seq = n % ${count / 2} + 1000)`,
    alert_seq: `n % ${count / 2} + 1000`,
    channel_id: `'chn_' || (n / ${count / 2})`,
    channel_name: `'channel-' || (n / ${count / 2})`,
    repetition: '0',
    state: `case when n % 20000 = 3 then 'failed' when n % 5 = 0 then 'skipped' else 'sent' end`,
    created_at: at,
    due_at: at,
    sent_at: at,
  }),
  breaker_changes: ({ at, id }) => ({
    id: id('brk'),
    org_id: ORG,
    breaker_id: `'brk_' || ${skewed(1, 20)}`,
    at,
    state: `case when n % 2 = 0 then 'open' else 'closed' end`,
    because: `'Five of ten requests failed.'`,
  }),
  stored_bodies: ({ at, id }) => ({
    id: id('exc'),
    org_id: ORG,
    key_id: caller.key_id,
    owner: OWNER,
    created_at: at,
    sealed: `'${'s'.repeat(400)}'`,
  }),
  stored_responses: ({ at, id }) => ({
    id: id('exc'),
    org_id: ORG,
    key_id: caller.key_id,
    response_id: `'resp_' || n`,
    previous_id: `case when n % 3 > 0 then null end`,
    created_at: at,
    origin: `'sandbox'`,
    stored_by_provider: '0',
    sealed: `'${'s'.repeat(400)}'`,
  }),
};
