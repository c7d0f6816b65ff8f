// What a request costs with each feature, and how much a row takes: the figures of docs/guides/size-floe.md.
//   node bench/sizing.mjs            (the project's Node; about three minutes)
// Prints CPU per request of the whole process, resident memory, and the growth of the database per request.
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startFloeProcess } from '../packages/testkit/src/floe-process.ts';
import { startDedicatedPostgres } from '../packages/testkit/src/postgres.ts';
import { startDedicatedRedis } from '../packages/testkit/src/redis.ts';
import { BODY_BYTES, buildBenchBody, buildBenchRequest } from './src/bodies.ts';
import { FEATURES as SWITCHED } from './src/features.ts';
import { runRequestLoad } from './src/load/requests.ts';
import { startMock } from './src/mock/mock.ts';
import { cpuUs, residentKb, waitForQuiet } from './src/process-tree.ts';
import { delay } from './src/processes.ts';

const KEY = `eis_sizing${'0'.repeat(32)}`;
const CONNECTIONS = 16;
const WARM_SECONDS = Number(process.env.WARM_SECONDS ?? 3);
const SECONDS = Number(process.env.SECONDS ?? 5);
/** With SIZES="" only PostgreSQL is measured. */
const SIZES = (process.env.SIZES ?? '1.6 KB,30 KB').split(',').filter(Boolean);

/** Further fields of the organization, by feature. */
const FEATURES = {
  ...Object.fromEntries(SWITCHED.map(({ label, org }) => [label, org])),
  'stored bodies, redacted': { bodies: { keep: true, redact: true } },
};

const home = mkdtempSync(join(tmpdir(), 'floe-sizing-'));
const mock = await startMock(home, 'chat');
const emptyBytes = await measureEmptyDatabase();
console.log(
  `${new Date().toISOString().slice(0, 10)}, Node ${process.version}, load average ${loadavg()[0].toFixed(1)}`,
);
try {
  for (const [feature, org] of Object.entries(FEATURES))
    for (const size of SIZES) report('SQLite', feature, size, await measureSqlite(org, size));
  for (const feature of ['key, row and metrics', 'two limits, a hard and a soft budget'])
    report('PostgreSQL, Redis', feature, '1.6 KB', await measurePostgres(FEATURES[feature], '1.6 KB'));
} finally {
  await mock.running.stop();
  rmSync(home, { recursive: true, force: true });
}

function report(store, feature, size, { cpu, idleMb, loadedMb, bytes, requests }) {
  const memory = `${idleMb.toFixed(0)} / ${loadedMb.toFixed(0)} MB`;
  console.log(
    `| ${store} | ${feature} | ${size} | ${cpu.toFixed(0)} µs | ${memory} | ${bytes.toFixed(0)} B | ${requests} |`,
  );
}

function configOf(org, storage) {
  const provider = {
    id: 'mock',
    kind: 'openai-compatible',
    base_url: `http://127.0.0.1:${mock.running.port}/v1`,
    api_key: 'secret',
    models: ['*'],
    prices: { 'gpt-4.1-mini': { input: 0.4, output: 1.6 } },
  };
  const keys = [{ name: 'sizing', key: KEY, scopes: ['gateway'] }];
  return JSON.stringify({
    ...(storage && { storage }),
    orgs: [{ id: 'acme', keys, providers: [provider], ...org }],
  });
}

async function measureSqlite(org, size) {
  const dataDir = mkdtempSync(join(home, 'data-'));
  const floe = await startFloeProcess({ yaml: configOf(org), dataDir, env: { FLOE_LOG_LEVEL: 'error' } });
  // The file is complete only after the server has closed it, so the warm-up counts as well.
  const figures = await load(floe, size);
  await floe.stop();
  const bytes = (statSync(join(dataDir, 'floe.db')).size - emptyBytes) / figures.allRequests;
  rmSync(dataDir, { recursive: true, force: true });
  return { ...figures, bytes };
}

/** Size of a database without requests. */
async function measureEmptyDatabase() {
  const dataDir = mkdtempSync(join(home, 'empty-'));
  const floe = await startFloeProcess({ yaml: configOf({}), dataDir });
  await floe.stop();
  return statSync(join(dataDir, 'floe.db')).size;
}

async function measurePostgres(org, size) {
  const postgres = await startDedicatedPostgres();
  const redis = await startDedicatedRedis();
  const dataDir = join(home, 'postgres');
  mkdirSync(dataDir, { recursive: true });
  const floe = await startFloeProcess({
    yaml: configOf(org, { database: postgres.url, shared: redis.url }),
    dataDir,
    env: { FLOE_LOG_LEVEL: 'error', FLOE_SECRET_KEY: 'k'.repeat(64) },
    startTimeoutMs: 60_000,
  });
  const before = await postgresFigures(postgres.url);
  const figures = await load(floe, size);
  await waitForRows(floe);
  const after = await postgresFigures(postgres.url);
  console.log(`PostgreSQL connections of one process under load: ${after.connections}`);
  await floe.stop();
  await redis.stop();
  await postgres.stop();
  rmSync(dataDir, { recursive: true, force: true });
  return { ...figures, bytes: (after.bytes - before.bytes) / figures.allRequests };
}

/** Waits until every row of the spool is in the database. */
async function waitForRows(floe) {
  for (let pending = -1; pending !== 0; await delay(200)) {
    const text = await (await fetch(`${floe.url}/metrics`)).text();
    pending = Number(/^floe_spool_pending_rows\S* (\d+)/m.exec(text)?.[1] ?? Number.NaN);
    if (Number.isNaN(pending)) throw new Error('the server has no metric floe_spool_pending_rows');
  }
}

async function postgresFigures(url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query(
      `select pg_database_size(current_database()) as bytes,
        (select count(*) from pg_stat_activity where application_name like 'floe%') as connections`,
    );
    return { bytes: Number(rows[0].bytes), connections: Number(rows[0].connections) };
  } finally {
    await client.end();
  }
}

/** Loads a server and waits until it has written everything. */
async function load(floe, size) {
  await waitForQuiet(floe.pid);
  const idleMb = residentKb(floe.pid) / 1024;
  const body = buildBenchBody({ model: 'mock/gpt-4.1-mini', bytes: BODY_BYTES[size] });
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
  const request = buildBenchRequest('/gateway/v1/chat/completions', headers, body);
  const port = Number(new URL(floe.url).port);
  const run = (seconds) => runRequestLoad({ port, request, connections: CONNECTIONS, seconds });
  const warm = await run(WARM_SECONDS);
  await waitForQuiet(floe.pid);
  const before = cpuUs(floe.pid);
  const { requests } = await run(SECONDS);
  await waitForQuiet(floe.pid);
  const cpu = (cpuUs(floe.pid) - before) / requests;
  const loadedMb = residentKb(floe.pid) / 1024;
  return { cpu, idleMb, loadedMb, requests, allRequests: requests + warm.requests };
}
