// How one machine scales with server.processes: CPU per request and requests per second with 1 and 2 processes, on
// PostgreSQL and Redis.
//   node bench/scaling.mjs            (the project's Node, after scripts/build-server.mjs; about three minutes)
// CPU per request is that of the whole process tree, supervisor included. If it is the same with 2 processes, two cores
// serve twice as much. Requests per second say so directly only on a machine with cores to spare for the load.
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startFloeProcess } from '../packages/testkit/src/floe-process.ts';
import { startDedicatedPostgres } from '../packages/testkit/src/postgres.ts';
import { startDedicatedRedis } from '../packages/testkit/src/redis.ts';
import { BODY_BYTES, buildBenchBody, buildBenchRequest } from './src/bodies.ts';
import { FEATURES } from './src/features.ts';
import { runRequestLoad } from './src/load/requests.ts';
import { startMock } from './src/mock/mock.ts';
import { cpuUs, waitForQuiet } from './src/process-tree.ts';

const KEY = `eis_scaling${'0'.repeat(31)}`;
const CONNECTIONS = Number(process.env.CONNECTIONS ?? 16);
const SECONDS = Number(process.env.SECONDS ?? 4);
const ROUNDS = Number(process.env.ROUNDS ?? 4);
const WORKLOADS = [
  { name: 'key, row and metrics', size: '1.6 KB' },
  { name: 'two limits, a hard and a soft budget', size: '1.6 KB' },
  { name: 'all of these', size: '30 KB' },
].slice(0, Number(process.env.WORKLOADS ?? 3));

const home = mkdtempSync(join(tmpdir(), 'floe-scaling-'));
const mock = await startMock(home, 'chat');
const postgres = await startDedicatedPostgres();
const redis = await startDedicatedRedis();
console.log(`Node ${process.version}, load average ${loadavg()[0].toFixed(1)}`);
try {
  for (const workload of WORKLOADS) await measureWorkload(workload);
} finally {
  await mock.running.stop();
  await redis.stop();
  await postgres.stop();
  rmSync(home, { recursive: true, force: true });
}

async function measureWorkload({ name, size }) {
  const { org } = FEATURES.find(({ label }) => label === name);
  const samples = new Map([1, 2].map((count) => [count, []]));
  // One server at a time, in turns: what else the machine does meets both alike.
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [count, figures] of samples) figures.push(await measure(org, size, count));
  const [one, two] = [...samples.values()].map((figures) => ({
    cpu: median(figures.map(({ cpu }) => cpu)),
    rate: median(figures.map(({ rate }) => rate)),
  }));
  const cells = [
    `${name}, ${size}`,
    `${one.cpu.toFixed(0)} µs`,
    `${two.cpu.toFixed(0)} µs`,
    `${((100 * one.cpu) / two.cpu).toFixed(0)} %`,
    `${one.rate.toFixed(0)}`,
    `${two.rate.toFixed(0)}`,
  ];
  console.log(`| ${cells.join(' | ')} |`);
}

async function measure(org, size, count) {
  const dataDir = mkdtempSync(join(home, 'data-'));
  const floe = await startFloeProcess({
    yaml: JSON.stringify({
      server: { processes: count },
      storage: { database: postgres.url, shared: redis.url, shared_timeout_ms: 1_000 },
      orgs: [
        {
          id: 'acme',
          keys: [{ name: 'scaling', key: KEY, scopes: ['gateway'] }],
          providers: [
            {
              id: 'mock',
              kind: 'openai-compatible',
              base_url: `http://127.0.0.1:${mock.running.port}/v1`,
              api_key: 'secret',
              models: ['*'],
              prices: { 'gpt-4.1-mini': { input: 0.4, output: 1.6 } },
            },
          ],
          ...org,
        },
      ],
    }),
    dataDir,
    env: { FLOE_LOG_LEVEL: 'error', FLOE_SECRET_KEY: 'k'.repeat(64) },
    startTimeoutMs: 120_000,
  });
  const body = buildBenchBody({ model: 'mock/gpt-4.1-mini', bytes: BODY_BYTES[size] });
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
  const request = buildBenchRequest('/gateway/v1/chat/completions', headers, body);
  const run = (seconds) =>
    runRequestLoad({ port: Number(new URL(floe.url).port), request, connections: CONNECTIONS, seconds });
  // Until V8 has settled in every process.
  await run(SECONDS * count);
  await waitForQuiet(floe.pid);
  const before = cpuUs(floe.pid);
  const { requests, seconds } = await run(SECONDS);
  await waitForQuiet(floe.pid);
  const cpu = (cpuUs(floe.pid) - before) / requests;
  await floe.stop();
  rmSync(dataDir, { recursive: true, force: true });
  return { cpu, rate: requests / seconds };
}

function median(values) {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length / 2;
  return (sorted[Math.floor(middle)] + sorted[Math.ceil(middle) - 1]) / 2;
}
