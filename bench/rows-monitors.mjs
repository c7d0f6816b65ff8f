// 10,000 monitors with their history, and a chain of audit entries, for bench/rows.mjs. Checks are generated in SQL. Each audit
// entry contains the HMAC of the one before, which SQL cannot compute, so the product writes them.
import { createSecretKey } from 'node:crypto';
import { sql } from 'kysely';
import { createMonitor } from '../packages/server/src/monitoring/monitors.ts';
import { appendAuditEntries } from '../packages/server/src/store/audit-entries.ts';

export const MONITORS = 10_000;
/** One monitor beats every minute of the month: the longest history a page shows. */
const BUSY = 'job-1';
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** How long each downtime lasts. */
const DOWN_MS = 2 * 3_600_000;
const AUDIT_AT_ONCE = 1_000;

/** One monitor made by the product, the others as copies of its rows, with checks and periods. */
export async function fillMonitors(database, endMs, checksEach) {
  await database.transaction(async (writer) => {
    const changing = {
      writer,
      secret: createSecretKey(Buffer.alloc(32, 1)),
      nowMs: endMs,
      committedUntil: endMs,
      rewindCount: 0,
      gaps: [],
      actor: 'bench',
      source: { kind: 'console', line: null },
    };
    const { row } = await createMonitor(changing, 'acme', DEFINITION);
    await copies(writer, 'monitors', row.uid, { created_at: sql`created_at - n.n * 1000` });
    await copies(writer, 'monitor_clocks', row.uid, {
      token_hash: sql`token_hash || '-' || n.n`,
      status: sql`case when n.n % 100 = 0 then 'failing' else 'healthy' end`,
      failing_since: sql`case when n.n % 100 = 0 then ${sql.lit(endMs)} - n.n * 1000 end`,
    });
    await history(writer, endMs, checksEach);
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
async function history(writer, endMs, checksEach) {
  const checks = (stepMs, count, of) => sql`insert into checks
      (uid, at, id, status, error, expected_at, detected_at, received_at, duration_ms, metadata_json, missed_count)
    with recursive n(n) as (select cast(1 as bigint) union all select n + 1 from n where n < ${sql.lit(count)})
    select m.uid, ${sql.lit(endMs)} - n.n * ${sql.lit(stepMs)}, 'beat_' || n.n,
      case when n.n % 50 = 0 then 'missed' else 'ok' end, case when n.n % 50 = 0 then 'No beat came.' end,
      ${sql.lit(endMs)} - n.n * ${sql.lit(stepMs)}, ${sql.lit(endMs)} - n.n * ${sql.lit(stepMs)}, null, 1200,
      '{"host":"worker-7"}', 1
    from monitors m cross join n where ${of}`;
  await checks(Math.floor((30 * DAY_MS) / checksEach), checksEach, sql`m.id <> ${BUSY}`).execute(writer);
  await checks(MINUTE_MS, (30 * DAY_MS) / MINUTE_MS, sql`m.id = ${BUSY}`).execute(writer);
  await sql`insert into monitor_periods (uid, started_at, status, reason)
    with recursive n(n) as (select cast(1 as bigint) union all select n + 1 from n where n < 8)
    select m.uid, ${sql.lit(endMs)} - (n.n + 1) / 2 * ${sql.lit(7 * DAY_MS)} + n.n % 2 * ${sql.lit(DOWN_MS)},
      case when n.n % 2 = 0 then 'failing' else 'healthy' end, 'bench' from monitors m cross join n`.execute(
    writer,
  );
}

/** Appends a chain of audit entries, one per minute until `endMs`. */
export async function fillAudit(database, endMs, count) {
  for (let from = 1; from <= count; from += AUDIT_AT_ONCE)
    await database.transaction((writer) =>
      appendAuditEntries(
        writer,
        Array.from({ length: Math.min(AUDIT_AT_ONCE, count + 1 - from) }, (_, n) =>
          auditEntry(from + n, endMs - (count - from - n) * MINUTE_MS),
        ),
      ),
    );
}

function auditEntry(seq, at) {
  const isRare = seq % 20_000 === 3;
  return {
    id: `aud_${String(seq).padStart(12, '0')}`,
    org_id: 'acme',
    at,
    actor: isRare ? 'key_rare' : `key_${seq % 60}`,
    actor_name: null,
    action: isRare ? 'routes.update' : seq % 3 === 0 ? 'monitors.create' : 'keys.create',
    subject: isRare ? 'route rare' : `monitor job-${seq % 10_000}`,
    before_json: null,
    after_json: '{}',
  };
}
