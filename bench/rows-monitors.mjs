// 10,000 monitors with a month of history for bench/rows.mjs, and every query a page of monitoring makes of them.
import { createSecretKey } from 'node:crypto';
import { sql } from 'kysely';
import { loadBoardView } from '../packages/server/src/monitoring/boards/board-view.ts';
import { createMonitor } from '../packages/server/src/monitoring/monitors.ts';
import {
  listMonitors,
  readMonitor,
  readMonitorChecks,
  readMonitorPeriods,
  readMonitorUptime,
} from '../packages/server/src/monitoring/read-monitors.ts';
import { getAlertPage, insertAlerts, listOpenAlerts } from '../packages/server/src/store/alerts.ts';
import { appendAuditEntries, getAuditEntryPage } from '../packages/server/src/store/audit-entries.ts';
import {
  countOrgMonitorsByStatus,
  listFailingMonitors,
} from '../packages/server/src/store/monitoring/monitor-overview.ts';

export const MONITORS = 10_000;
const CHECKS_EACH = 200;
/** One monitor beats every minute of the month: the longest history a page shows. */
const BUSY = 'job-1';
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** How long each downtime lasts. */
const DOWN_MS = 2 * 3_600_000;
const ALERTS = 10_000;
const AUDIT_ENTRIES = 100_000;
const AUDIT_AT_ONCE = 1_000;

/** One monitor made by the product, the others as copies of its rows, with checks, periods, alerts and audit entries. */
export async function fillMonitors(database, endMs) {
  await database.transaction(async (writer) => {
    const changing = {
      writer,
      secret: createSecretKey(Buffer.alloc(32, 1)),
      nowMs: endMs,
      committedUntil: endMs,
      gaps: [],
      actor: 'bench',
      source: { kind: 'console', line: null },
    };
    const row = await createMonitor(changing, 'acme', DEFINITION);
    await copies(writer, 'monitors', row.uid, { created_at: sql`created_at - n.n * 1000` });
    await copies(writer, 'monitor_clocks', row.uid, {
      token_hash: sql`token_hash || '-' || n.n`,
      status: sql`case when n.n % 100 = 0 then 'failing' else 'healthy' end`,
      failing_since: sql`case when n.n % 100 = 0 then ${sql.lit(endMs)} - n.n * 1000 end`,
    });
    await history(writer, endMs);
    await insertAlerts(writer, alerts(endMs));
    await audit(writer, endMs);
  });
}

const DEFINITION = {
  id: 'job',
  name: 'job',
  description: '',
  interval_ms: DAY_MS,
  cron: null,
  timezone: null,
  grace_ms: 30 * DAY_MS,
  first_beat_due_ms: null,
  alert_after_misses: 1,
  fail_counts_as_miss: 0,
  tags_json: '["team-a"]',
  channels_json: '[]',
  paused: 0,
  paused_until: null,
  muted_until: null,
};

async function copies(writer, table, uid, changed) {
  const one = await writer.selectFrom(table).selectAll().where('uid', '=', uid).executeTakeFirstOrThrow();
  const columns = Object.keys(one);
  const numbered = new Set(['uid', 'id', 'name']);
  const picked = columns.map((column) => {
    if (changed[column]) return changed[column];
    return numbered.has(column) ? sql`${sql.ref(column)} || '-' || n.n` : sql.ref(column);
  });
  await sql`insert into ${sql.table(table)} (${sql.join(columns.map((column) => sql.ref(column)))})
    with recursive n(n) as (select cast(1 as bigint) union all select n + 1 from n where n < ${sql.lit(MONITORS - 1)})
    select ${sql.join(picked)} from ${sql.table(table)} cross join n where uid = ${uid}`.execute(writer);
}

/** Checks and periods of every monitor: beats spread over the month, every fiftieth missed; two hours down each week. */
async function history(writer, endMs) {
  const checks = (stepMs, count, of) => sql`insert into checks
      (uid, at, id, status, error, expected_at, detected_at, received_at, duration_ms, metadata_json, missed_count)
    with recursive n(n) as (select cast(1 as bigint) union all select n + 1 from n where n < ${sql.lit(count)})
    select m.uid, ${sql.lit(endMs)} - n.n * ${sql.lit(stepMs)}, 'beat_' || n.n,
      case when n.n % 50 = 0 then 'missed' else 'ok' end, case when n.n % 50 = 0 then 'No beat came.' end,
      ${sql.lit(endMs)} - n.n * ${sql.lit(stepMs)}, ${sql.lit(endMs)} - n.n * ${sql.lit(stepMs)}, null, 1200,
      '{"host":"worker-7"}', 1
    from monitors m cross join n where ${of}`;
  await checks((30 * DAY_MS) / CHECKS_EACH, CHECKS_EACH, sql`m.id <> ${BUSY}`).execute(writer);
  await checks(MINUTE_MS, (30 * DAY_MS) / MINUTE_MS, sql`m.id = ${BUSY}`).execute(writer);
  await sql`insert into monitor_periods (uid, started_at, status, reason)
    with recursive n(n) as (select cast(1 as bigint) union all select n + 1 from n where n < 8)
    select m.uid, ${sql.lit(endMs)} - (n.n + 1) / 2 * ${sql.lit(7 * DAY_MS)} + n.n % 2 * ${sql.lit(DOWN_MS)},
      case when n.n % 2 = 0 then 'failing' else 'healthy' end, 'bench' from monitors m cross join n`.execute(
    writer,
  );
}

const NOTHING_CAME = { error: 'No beat came.', lastBeatMs: null, tags: ['team-a'] };

function alerts(endMs) {
  return Array.from({ length: ALERTS }, (_, n) => ({
    id: `alt_${String(ALERTS - n).padStart(8, '0')}`,
    org_id: 'acme',
    at: endMs - n * 4 * MINUTE_MS,
    event: 'monitor_failing',
    phase: 'opens',
    subject_kind: 'monitor',
    subject_id: `job-${n}`,
    subject_name: `job-${n}`,
    idempotency_key: `bench-${n}`,
    fields_json: JSON.stringify({ failingSinceMs: endMs - n * 4 * MINUTE_MS, ...NOTHING_CAME }),
    channels_json: null,
    routed_at: endMs,
    closed_at: n < 50 ? null : endMs,
  }));
}

/** A whole chain of audit entries. */
async function audit(writer, endMs) {
  for (let from = 1; from <= AUDIT_ENTRIES; from += AUDIT_AT_ONCE)
    await appendAuditEntries(
      writer,
      Array.from({ length: AUDIT_AT_ONCE }, (_, n) => auditEntry(from + n, endMs)),
    );
}

function auditEntry(seq, endMs) {
  return {
    id: `aud_${seq}`,
    org_id: 'acme',
    at: endMs - (AUDIT_ENTRIES - seq) * 1000,
    actor: `key_${seq % 60}`,
    actor_name: null,
    action: seq % 3 === 0 ? 'monitors.create' : 'keys.create',
    subject: `monitor job-${seq}`,
    before_json: null,
    after_json: '{}',
  };
}

/** What the pages of monitoring, alerts and the audit log ask, by name. */
export async function monitorQueries({ read: reader }, endMs) {
  const sight = { nowMs: endMs, committedUntil: endMs, gaps: [] };
  const month = { fromMs: endMs - 30 * DAY_MS, toMs: endMs };
  const busy = await readMonitor(reader, 'acme', BUSY, sight);
  const list = (more) => () => listMonitors(reader, { orgId: 'acme', limit: 100, ...more }, sight);
  const checks = (more) => () => readMonitorChecks(reader, { uid: busy.row.uid, limit: 100, ...more });
  const entries = (more) => () => getAuditEntryPage(reader, { orgId: 'acme', limit: 100, ...more });
  const told = (more) => () => getAlertPage(reader, { orgId: 'acme', limit: 100, ...more });
  const board = {
    org_id: 'acme',
    slug: 'all',
    name: 'All',
    timezone: null,
    groups_json: JSON.stringify([
      { name: 'Jobs', monitors: Array.from({ length: 500 }, (_, n) => `job-${n + 1}`) },
    ]),
  };
  return {
    'monitors, first page': list({}),
    'monitors, 500 a page': list({ limit: 500 }),
    'monitors by urgency': list({ sort: 'urgency' }),
    'monitors failing': list({ status: 'failing' }),
    'monitors by name, few': list({ search: 'job-9999' }),
    'monitors by name, none': list({ search: 'nothing' }),
    'monitors by tag, none': list({ tag: 'none' }),
    'one monitor': () => readMonitor(reader, 'acme', BUSY, sight),
    'checks, newest': checks({}),
    'checks missed': checks({ statuses: ['missed'] }),
    'checks failed, none': checks({ statuses: ['failed'] }),
    'periods of a month': () => readMonitorPeriods(reader, busy, month, sight),
    'uptime of a month': () => readMonitorUptime(reader, busy, month, sight),
    'board of 500 monitors': () => loadBoardView(reader, board, 'UTC', sight),
    'monitors by state': () => countOrgMonitorsByStatus(reader, 'acme'),
    'monitors failing longest': () => listFailingMonitors(reader, 'acme', 21),
    'alerts, newest': told({}),
    'alerts of one monitor': told({ subject: 'job-9999' }),
    'alerts of a channel, none': told({ channel: 'none' }),
    'alerts still open': () => listOpenAlerts(reader, 'acme', 'monitor', 21),
    'audit, newest': entries({}),
    'audit of one subject': entries({ subject: 'monitor job-5' }),
    'audit of an actor and action, none': entries({ actor: 'key_1', action: 'none' }),
  };
}
