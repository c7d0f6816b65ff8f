// Rows and queries: `node bench/rows.mjs [--rows 5000000] [--days 90] [--engines sqlite,postgres] [--runs 3]`.
//
// Loads requests, rollups, monitors, relay decisions, alerts and audit entries, most of them generated in SQL, into tables
// with all their indexes. Then starts the server, sends each request that reads through the API, derived from its OpenAPI
// document, and prints the slowest ones. Targets at 5 million rows: 200 ms warm, 1 s cold. `--cold` also measures each request
// after the caches of the system are dropped, which needs root. `--ingest 120` sends rows through the spool for 120 seconds at
// `--rate` per second. `--data DIR` is where the data is kept with `--keep`; a second command with both uses it again.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '../packages/server/src/core/clock.ts';
import { silentLog } from '../packages/server/src/core/log.ts';
import { deriveAuditKey } from '../packages/server/src/store/audit-context.ts';
import { openDatabase } from '../packages/server/src/store/open-database.ts';
import { insertOrg } from '../packages/server/src/store/orgs.ts';
import { insertPlatformKey } from '../packages/server/src/store/platform-keys.ts';
import { platformKeys } from './rows-data.mjs';
import { loadDays } from './rows-days.mjs';
import { loadHistory } from './rows-history.mjs';
import { cpuMsOf, measureRequests, timedSession } from './rows-http.mjs';
import { measureIngest } from './rows-ingest.mjs';
import { fillAudit, fillMonitors, MONITORS } from './rows-monitors.mjs';
import { openRowsPostgres } from './rows-postgres.mjs';
import { listRequests } from './rows-requests.mjs';
import { openSql } from './rows-sql.mjs';
import { openConsoleSession, SECRET_KEY } from './src/pages/console-session.ts';

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '5000000' },
    days: { type: 'string', default: '90' },
    engines: { type: 'string', default: 'sqlite,postgres' },
    runs: { type: 'string', default: '3' },
    every: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    data: { type: 'string' },
    keep: { type: 'boolean', default: false },
    'load-only': { type: 'boolean', default: false },
    cold: { type: 'boolean', default: false },
    ingest: { type: 'string', default: '0' },
    rate: { type: 'string', default: '10000' },
    log: { type: 'string' },
  },
});
const ROWS = Number(options.rows);
const DAYS = Number(options.days);
const HOUR_MS = 3_600_000;
const WARM_MS = 200;
const COLD_MS = 1000;

/** Loads everything into an empty database. */
async function load(engine, url, dataDir, endMs) {
  const started = performance.now();
  const report = (what) =>
    process.stderr.write(`${engine}: ${what} after ${((performance.now() - started) / 1000).toFixed(0)} s\n`);
  const auditKey = deriveAuditKey(Buffer.from(SECRET_KEY));
  const database = await openDatabase(url, { dataDir, log: silentLog, clock: systemClock, auditKey });
  await database.transaction(async (writer) => {
    await insertOrg(writer, { id: 'acme', name: 'Acme', created_at: 1, metadata_keys_json: '["project"]' });
    for (let n = 1; n <= 20; n += 1)
      await insertOrg(writer, { id: `org-${n}`, name: `Org ${n}`, created_at: 1, metadata_keys_json: null });
    for (const key of platformKeys(endMs)) await insertPlatformKey(writer, key);
  });
  await fillMonitors(database, endMs, Math.max(1, Math.round(ROWS / 2 / MONITORS)));
  report('monitors');
  await fillAudit(database, endMs, Math.round(ROWS / 10));
  report('audit entries');
  await database.close();
  const sql = await openSql(engine, engine === 'sqlite' ? join(dataDir, 'floe.db') : url);
  try {
    const asked = { rows: ROWS, days: DAYS, endMs, report };
    await loadDays(sql, asked);
    await loadHistory(sql, asked);
    // What a server that runs for weeks has behind it. SQLite has no statistics: the server never creates them.
    if (engine === 'postgres') await sql.query('vacuum analyze');
    await sql.query(engine === 'postgres' ? 'checkpoint' : 'pragma wal_checkpoint(truncate)');
    report('statistics and checkpoint');
  } finally {
    await sql.close();
  }
  spawnSync('sync');
}

async function measure({ url, dataDir, endMs, postmaster }) {
  const servers = postmaster === null ? [] : [postmaster];
  const session = await openConsoleSession(dataDir, url.startsWith('postgres') ? url : undefined);
  try {
    const { body: document } = await session.ask('GET', '/api/openapi.json');
    const all = await listRequests(document, session.ask, {
      days: DAYS,
      endMs,
      every: Number(options.every),
    });
    const chosen = new RegExp(options.only);
    const wanted = all.filter(({ operation, path }) => chosen.test(`${operation} ${path}`));
    process.stderr.write(
      `${wanted.length} requests of ${new Set(wanted.map(({ operation }) => operation)).size} operations\n`,
    );
    const report = (what) => process.stderr.write(`${what}\n`);
    const timed = timedSession(session.floe.url, session.cookie(), () =>
      cpuMsOf([session.floe.pid, ...servers]),
    );
    const warm = await measureRequests(timed, wanted, {
      runs: Number(options.runs),
      report,
      log: options.log,
    });
    if (!options.cold) return warm.map((row) => ({ ...row, cold: null, coldCpu: null }));
    // Dropping the caches slows down everything on the machine, so that only the slowest request of each operation is measured.
    const slowest = [...Map.groupBy(warm, ({ operation }) => operation).values()].map(
      (own) => own.toSorted(bySlowest)[0],
    );
    const asked = wanted.filter((_, at) => slowest.includes(warm[at]));
    const cold = await measureRequests(timed, asked, { cold: true, report, log: options.log });
    const byTarget = new Map(cold.map((row) => [row.target, row]));
    return warm.map((row) => ({
      ...row,
      cold: byTarget.get(row.target)?.ms ?? null,
      coldCpu: byTarget.get(row.target)?.cpu ?? null,
    }));
  } finally {
    await session.close();
  }
}

async function bench(engine) {
  const directory = options.data ?? mkdtempSync(join(tmpdir(), 'floe-bench-'));
  const dataDir = join(directory, engine);
  const loaded = join(directory, `${engine}.loaded`);
  mkdirSync(dataDir, { recursive: true });
  /** A whole hour, so that every run and engine asks for the same. */
  const endMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
  const postgres = engine === 'postgres' ? await openRowsPostgres(join(directory, 'cluster')) : null;
  try {
    const url = postgres?.url ?? 'sqlite:';
    if (!existsSync(loaded)) {
      await load(engine, url, dataDir, endMs);
      writeFileSync(loaded, String(endMs));
    }
    if (options['load-only']) return [];
    const servers = postgres === null ? [] : [postgres.pid];
    if (Number(options.ingest) > 0) {
      const asked = { url, dataDir, rate: Number(options.rate), seconds: Number(options.ingest), servers };
      for (const [name, value] of Object.entries(await measureIngest(asked)))
        console.log(`${engine} ingest: ${name} ${value.toFixed(2)}`);
      return [];
    }
    return await measure({
      url,
      dataDir,
      endMs: Number(readFileSync(loaded, 'utf8')),
      postmaster: postgres?.pid ?? null,
    });
  } finally {
    await postgres?.stop();
    if (!options.keep) rmSync(directory, { recursive: true, force: true });
  }
}

/** One line per operation with its slowest requests, then each request beyond the targets. */
function print(engine, rows) {
  const ms = (value) => (value === null ? '–' : value.toFixed(0)).padStart(8);
  const cells = ({ ms: warm, cpu, cold, coldCpu }) => ms(warm) + ms(cpu) + ms(cold) + ms(coldCpu);
  console.log(`\n${engine}, ms                            requests    warm     CPU    cold     CPU  slowest`);
  for (const [operation, own] of Map.groupBy(rows, (row) => row.operation)) {
    const slowest = own.toSorted(bySlowest)[0];
    console.log(
      `${operation.padEnd(38)}${String(own.length).padStart(8)}${cells(slowest)}  ${slowest.target}`,
    );
  }
  const beyond = rows.filter((row) => costOf(row) > WARM_MS || (row.cold ?? 0) > COLD_MS);
  const statuses = [...Map.groupBy(rows, ({ status }) => status)].map(
    ([status, own]) => `${own.length} × ${status}`,
  );
  console.log(
    `\n${engine}: ${rows.length} requests (${statuses.join(', ')}), ${beyond.length} beyond the targets`,
  );
  for (const row of beyond.toSorted(bySlowest)) console.log(`${cells(row)}  ${row.status} ${row.target}`);
}

function bySlowest(one, other) {
  return costOf(other) - costOf(one);
}

/** What a request takes on a quiet machine: on a busy one, its time contains waiting for a core, and its CPU time does not. */
function costOf({ ms, cpu }) {
  return Math.min(ms, cpu);
}

const results = {};
for (const engine of options.engines.split(',')) {
  results[engine] = await bench(engine);
  print(engine, results[engine]);
}
