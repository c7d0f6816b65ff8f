// Heartbeats: `node bench/beats.mjs [--engines sqlite,postgres] [--seconds 5] [--monitors 100000]`.
//
// Durable beats per second, one per commit and in shared commits; latency over HTTP at 1,000 beats per second; how long
// after its deadline a miss is found among 100,000 monitors; how long 100,000 overdue at once take. Beside the targets of
// the product's quality page. PostgreSQL is this machine's or npm's; where its durability is off, it says so.
import { createSecretKey } from 'node:crypto';
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { systemClock } from '../packages/server/src/core/clock.ts';
import { silentLog } from '../packages/server/src/core/log.ts';
import { MonitoringEngine } from '../packages/server/src/monitoring/monitoring-engine.ts';
import { createMonitoringCounters } from '../packages/server/src/monitoring/monitoring-metrics.ts';
import { createMonitor } from '../packages/server/src/monitoring/monitors.ts';
import { openDatabase } from '../packages/server/src/store/open-database.ts';
import { insertOrg } from '../packages/server/src/store/orgs.ts';
import { startFloeProcess } from '../packages/testkit/src/floe-process.ts';
import { startDedicatedPostgres } from '../packages/testkit/src/postgres.ts';

const { values: options } = parseArgs({
  options: {
    engines: { type: 'string', default: 'sqlite,postgres' },
    seconds: { type: 'string', default: '5' },
    monitors: { type: 'string', default: '100000' },
  },
});
const SECONDS = Math.min(60, Number(options.seconds));
const MONITORS = Math.min(200_000, Number(options.monitors));
const MINUTE = 60_000;
const KEY = `eis_bench${'0'.repeat(40)}`;

function percentile(values, share) {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function printResult(engine, what, figure, target) {
  console.log(`${engine.padEnd(9)} ${what.padEnd(44)} ${String(figure).padStart(12)}   target ${target}`);
}

/** What one commit cannot be faster than: some pages written again and synced, as a write-ahead log is. */
function diskSync(directory) {
  const pages = Buffer.alloc(12 * 1024, 1);
  const file = openSync(join(directory, 'sync'), 'w');
  const times = [];
  for (let n = 0; n < 300; n++) {
    const started = performance.now();
    writeSync(file, pages, 0, pages.length, (n % 20) * pages.length);
    fdatasyncSync(file);
    if (n >= 20) times.push(performance.now() - started);
  }
  closeSync(file);
  const mean = times.reduce((sum, time) => sum + time, 0) / times.length;
  const figure = `${percentile(times, 0.1).toFixed(2)} / ${percentile(times, 0.5).toFixed(2)} / ${mean.toFixed(2)} ms`;
  printResult(
    'disk',
    'one sync, p10 / p50 / mean',
    figure,
    `none: ${Math.round(1000 / mean)}/s is the limit of one per commit`,
  );
}

/** One monitor made by the product, the others as copies of its rows. */
async function fill(database, engine, count, intervalMs) {
  const evaluation = await engine.changeContext();
  const { nowMs } = evaluation;
  await database.transaction(async (writer) => {
    await insertOrg(writer, { id: 'acme', name: 'Acme', created_at: nowMs });
    const definition = {
      id: 'job',
      name: 'job',
      description: '',
      interval_ms: intervalMs,
      cron: null,
      timezone: null,
      grace_ms: 0,
      first_beat_due_ms: null,
      alert_after_misses: 1,
      fail_counts_as_miss: 0,
      tags_json: '[]',
      channels_json: '[]',
      paused: 0,
      paused_until: null,
      muted_until: null,
    };
    const changing = {
      writer,
      secret: createSecretKey(Buffer.alloc(32, 1)),
      ...evaluation,
      actor: 'bench',
      source: { kind: 'console', line: null },
    };
    const { row } = await createMonitor(changing, 'acme', definition);
    await copies(writer, 'monitors', row.uid, count, {});
    await copies(writer, 'monitor_clocks', row.uid, count, { token_hash: true });
  });
}

async function copies(writer, table, uid, count, more) {
  const one = await writer.selectFrom(table).selectAll().where('uid', '=', uid).executeTakeFirstOrThrow();
  const columns = Object.keys(one);
  const changed = new Set(['uid', 'id', ...Object.keys(more)]);
  const picked = columns.map((column) =>
    changed.has(column) ? sql`${sql.ref(column)} || '-' || n.n` : sql.ref(column),
  );
  await sql`insert into ${sql.table(table)} (${sql.join(columns.map((column) => sql.ref(column)))})
    with recursive n(n) as (select 1 union all select n + 1 from n where n < ${sql.lit(count - 1)})
    select ${sql.join(picked)} from ${sql.table(table)} cross join n where uid = ${uid}`.execute(writer);
}

function engineOn(database, batch) {
  const more = batch === undefined ? {} : { batchSize: batch };
  return new MonitoringEngine({
    database,
    clock: systemClock,
    log: silentLog,
    counters: createMonitoringCounters(),
    ...more,
  });
}

/** Beats per second, and CPU of all threads per beat, with `clients` callers that each wait for their answer. */
async function rate(database, batch, clients) {
  const engine = engineOn(database, batch);
  await engine.start();
  const until = performance.now() + SECONDS * 1_000;
  const started = performance.now();
  const cpu = process.cpuUsage();
  let count = 0;
  const caller = async (n) => {
    while (performance.now() < until) {
      const monitor = n % MONITORS;
      const id = monitor === 0 ? 'job' : `job-${monitor}`;
      await engine.recordBeat({
        address: { orgId: 'acme', id },
        kind: 'ok',
        runId: null,
        idempotencyKey: null,
        metadataJson: '{"host":"worker-7"}',
        error: null,
      });
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, n) => caller(n)));
  const perSecond = count / ((performance.now() - started) / 1_000);
  const { user, system } = process.cpuUsage(cpu);
  await engine.stop();
  return `${Math.round(perSecond)} (${Math.round((user + system) / count)} µs)`;
}

/** From deadline to record: 100 misses a second among all the other monitors, for ten seconds. */
async function detection(database, engineName) {
  const engine = engineOn(database);
  await engine.start();
  const from = engine.now() + 2_000;
  const due = sql`${sql.lit(from)} + misses % 10000`;
  await database.transaction(async (writer) => {
    // A number of its own for each of the first thousand, in a column that is there.
    await sql`update monitor_clocks set wake_at = ${Number.MAX_SAFE_INTEGER}`.execute(writer);
    const some = await writer.selectFrom('monitor_clocks').select('uid').limit(1_000).execute();
    for (const [n, { uid }] of some.entries())
      await writer
        .updateTable('monitor_clocks')
        .set({ misses: n * 10 })
        .where('uid', '=', uid)
        .execute();
    const chosen = some.map(({ uid }) => uid);
    await writer
      .updateTable('monitor_clocks')
      .set({ status: 'healthy', expected_at: due, due_at: due, wake_at: due, settled_at: engine.now() })
      .where('uid', 'in', chosen)
      .execute();
  });
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, from + 14_000 - engine.now())));
  await engine.stop();
  const rows = await database.read
    .selectFrom('checks')
    .select(['at', 'detected_at'])
    .where('status', '=', 'missed')
    .where('at', '>=', from)
    .execute();
  const lags = rows.map((row) => row.detected_at - row.at);
  printResult(
    engineName,
    `detection lag p50 / p99, ${rows.length} misses`,
    `${percentile(lags, 0.5)} / ${percentile(lags, 0.99)} ms`,
    'p99 <= 2,000 ms',
  );
}

async function overdue(database, engineName) {
  const engine = engineOn(database);
  await engine.start();
  // After the gap that this start ended: what was due in it would be nobody's fault.
  const due = engine.now() + 20;
  await database.transaction((writer) =>
    sql`update monitor_clocks set status = 'healthy', misses = 0, alerted_since = null, failing_since = null,
      expected_at = ${due}, due_at = ${due}, wake_at = ${due}, settled_at = ${due}, period_at = ${due - 1000},
      interval_ms = 86400000`.execute(writer),
  );
  await new Promise((resolve) => setTimeout(resolve, 30));
  const started = performance.now();
  await engine.pulseAndSweep();
  await engine.pulseAndSweep();
  const seconds = (performance.now() - started) / 1_000;
  const { count } = await database.read
    .selectFrom('checks')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('status', '=', 'missed')
    .where('at', '=', due)
    .executeTakeFirstOrThrow();
  await engine.stop();
  printResult(engineName, `${count} overdue at once recorded`, `${seconds.toFixed(1)} s`, '<= 30 s');
}

/** 1,000 beats per second over HTTP, on time whatever the answers do. */
async function latency(engineName, url) {
  const monitors = Array.from({ length: 500 }, (_, n) => ({
    id: `m${n}`,
    expected_interval_minutes: 5,
  }));
  const keys = [{ name: 'bench', key: KEY, scopes: ['beat'] }];
  const floe = await startFloeProcess({
    yaml: JSON.stringify({ orgs: [{ id: 'acme', keys, monitors }] }),
    env: {
      FLOE_LOG_LEVEL: 'error',
      ...(url === null ? {} : { FLOE_DATABASE_URL: url, FLOE_SECRET_KEY: 'bench'.repeat(13) }),
    },
  });
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const times = [];
  let refused = 0;
  const one = (n) =>
    new Promise((resolve) => {
      const started = performance.now();
      const body = JSON.stringify({ monitor_id: `m${n % 500}`, metadata: { n } });
      const headers = { 'x-api-key': KEY, 'content-type': 'application/json', 'content-length': body.length };
      const out = request(
        `${floe.url}/api/monitoring/heartbeat`,
        { agent, method: 'POST', headers },
        (answer) => {
          answer.resume().on('end', () => {
            if (answer.statusCode === 200) times.push(performance.now() - started);
            else refused += 1;
            resolve();
          });
        },
      );
      out.on('error', () => {
        refused += 1;
        resolve();
      });
      out.end(body);
    });
  const under = [];
  const begun = performance.now();
  for (let n = 0; n < SECONDS * 1_000; ) {
    for (; n < Math.min(SECONDS * 1_000, performance.now() - begun); n++) under.push(one(n));
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(under);
  agent.destroy();
  await floe.stop();
  const late = times.slice(500);
  printResult(
    engineName,
    `HTTP at 1,000/s, p50 / p99, ${refused} refused`,
    `${percentile(late, 0.5).toFixed(1)} / ${percentile(late, 0.99).toFixed(1)} ms`,
    'p99 <= 25 ms',
  );
}

async function measure(name, directory, postgres) {
  const url = name === 'sqlite' ? `sqlite:${join(directory, 'beats.db')}` : postgres.url;
  const database = await openDatabase(url, { dataDir: directory, log: silentLog, clock: systemClock });
  const engine = engineOn(database);
  await engine.start();
  await fill(database, engine, MONITORS, 60 * MINUTE);
  await engine.stop();
  const alone = [];
  for (const clients of [1, 8, 32]) alone.push(`${clients}: ${await rate(database, 1, clients)}`);
  printResult(name, 'durable beats/s, one per commit, by callers', alone.join(' '), '>= 2,500/s');
  printResult(
    name,
    'durable beats/s, shared commits, 1,000 callers',
    await rate(database, undefined, 1_000),
    '>= 15,000/s',
  );
  await overdue(database, name);
  await detection(database, name);
  await database.close();
}

for (const name of options.engines.split(',')) {
  const directory = mkdtempSync(join(tmpdir(), 'floe-beats-'));
  const postgres = name === 'postgres' ? await startDedicatedPostgres() : null;
  try {
    diskSync(directory);
    await measure(name, directory, postgres);
    await latency(name, postgres?.url ?? null);
  } finally {
    await postgres?.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}
