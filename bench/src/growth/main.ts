import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { delay, freePort, startProgram } from '../processes.ts';
import {
  buildConfigFile,
  fillDatabase,
  generateKeys,
  type Installation,
  type InstallationSize,
  revisionKey,
  SECRET_KEY,
  writeConfigFile,
} from './installation.ts';
import { formatCosts, Measurement } from './measure.ts';

const HELP = `Cost of a start and of changes in a large installation.

  node bench/growth.mjs [--keys 10000] [--routes 500] [--providers 200] [--orgs 100] [--source database|file]
                        [--server <server.mjs of another version>]

Generates the installation in the database or in floe.yaml, starts a server, changes keys, routes and providers through
the API, and reloads the file. Prints one line per action: its time, its CPU time, the longest block of the event loop,
and the slowest request of another organization. Uses a temporary directory.`;

const { values } = parseArgs({
  options: {
    keys: { type: 'string', default: '10000' },
    routes: { type: 'string', default: '500' },
    providers: { type: 'string', default: '200' },
    orgs: { type: 'string', default: '100' },
    source: { type: 'string', default: 'database' },
    runs: { type: 'string', default: '5' },
    server: { type: 'string', default: '' },
    help: { type: 'boolean', default: false },
  },
});
const RUNS = Number(values.runs);
const SIZE: InstallationSize = {
  keys: Number(values.keys),
  routes: Number(values.routes),
  providers: Number(values.providers),
  orgs: Number(values.orgs),
};
const OWN_SERVER = fileURLToPath(new URL('../../../packages/server/bin/server.mjs', import.meta.url));
const SERVER = values.server === '' ? OWN_SERVER : values.server;
const HOOK = fileURLToPath(new URL('./hook.mjs', import.meta.url));

type Call = (method: string, path: string, body?: object) => Promise<Readonly<Record<string, unknown>>>;

/** Calls the API or the gateway, and throws for every error. */
function createCall(base: string, key: string): Call {
  return async (method, path, body) => {
    const response = await fetch(base + path, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? {} : JSON.parse(text);
  };
}

async function measureServer(dataDir: string, keys: Installation, fileKeys: readonly string[] | null) {
  const port = await freePort();
  const file = join(dataDir, 'bench.jsonl');
  const env = {
    FLOE_DATA_DIR: join(dataDir, 'data'),
    FLOE_CONFIG: join(dataDir, 'floe.yaml'),
    FLOE_SECRET_KEY: SECRET_KEY,
    FLOE_PORT: String(port),
    FLOE_BENCH_FILE: file,
    FLOE_LOG_LEVEL: 'warn',
  };
  const args = ['--expose-gc', '--import', HOOK, SERVER];
  const server = await startProgram({ file: process.execPath, args, env, cwd: dataDir }, port);
  try {
    const base = `http://127.0.0.1:${port}`;
    const gateway = createCall(base, keys.gatewayKey);
    const send = async () => {
      const messages = [{ role: 'user', content: 'hello' }];
      await gateway('POST', '/gateway/v1/chat/completions', { model: 'smart-1', messages });
    };
    const measurement = new Measurement(server.pid, file, send);
    const start = await measurement.sample();
    measurement.costs.push({ name: 'start', wallMs: server.startMs, slowestOtherMs: 0, ...start });
    for (let warm = 0; warm < 50; warm++) await send();
    await measurement.run('no change', RUNS, () => delay(100));
    await changeResources(measurement, createCall(base, keys.managementKey));
    if (fileKeys !== null)
      for (const [first, isMoved] of [
        [1, false],
        [4, true],
      ] as const) {
        // Built first, because this would delay the requests that are measured.
        const files = [0, 1, 2].map((at) => ({
          key: revisionKey(fileKeys, first + at),
          text: buildConfigFile(SIZE, fileKeys, { revision: first + at, isMoved }),
        }));
        await measurement.run(
          isMoved ? 'reload, all lines moved' : 'reload of the file',
          files.length,
          (at) => reloadFile({ dataDir, base }, files[at] ?? { key: '', text: '' }),
        );
      }
    return measurement.costs;
  } finally {
    await server.stop();
  }
}

/** Creates, changes and removes keys, routes and providers of the first organization. */
async function changeResources(measurement: Measurement, api: Call): Promise<void> {
  const ids: string[] = [];
  await api('GET', '/api/management/keys?limit=1');
  await measurement.run('create a key', RUNS, async (at) => {
    const { id } = await api('POST', '/api/management/keys', { name: `new-${at}`, scopes: ['gateway'] });
    ids.push(String(id));
  });
  await measurement.run('change a key', RUNS, async (at) => {
    await api('PATCH', `/api/management/keys/${ids[at]}`, { owner: 'other' });
  });
  await measurement.run('revoke a key', RUNS, async (at) => {
    await api('DELETE', `/api/management/keys/${ids[at]}`);
  });
  await measurement.run('create a provider', RUNS, async (at) => {
    await api('POST', '/api/management/providers', { id: `added-${at}`, kind: 'sandbox' });
  });
  await measurement.run('create a route', RUNS, async (at) => {
    await api('POST', '/api/management/routes', { model: `extra-${at}`, targets: [`added-${at}/echo`] });
  });
}

/** Writes a file with another value of one key, and waits until the server accepts the value. */
async function reloadFile(
  { dataDir, base }: { readonly dataDir: string; readonly base: string },
  { key, text }: { readonly key: string; readonly text: string },
): Promise<void> {
  await writeFile(join(dataDir, 'floe.yaml'), text);
  const headers = { authorization: `Bearer ${key}` };
  for (;;) {
    const response = await fetch(`${base}/gateway/v1/models`, { headers });
    await response.arrayBuffer();
    if (response.ok) return;
    await delay(10);
  }
}

async function run(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'floe-growth-'));
  try {
    mkdirSync(join(dataDir, 'data'));
    let keys: Installation;
    let fileKeys: readonly string[] | null = null;
    if (values.source === 'file') {
      fileKeys = generateKeys(SIZE);
      keys = writeConfigFile(dataDir, SIZE, fileKeys, { revision: 0, isMoved: false });
    } else {
      keys = await fillDatabase(join(dataDir, 'data'), SIZE);
      writeFileSync(join(dataDir, 'floe.yaml'), 'log: { access: { enabled: false } }\n');
    }
    const costs = await measureServer(dataDir, keys, fileKeys);
    const { keys: k, routes, providers, orgs } = SIZE;
    console.log(
      `### ${k} keys, ${routes} routes, ${providers} providers, ${orgs} organizations in the ${values.source}\n`,
    );
    console.log(formatCosts(costs));
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

if (values.help) console.log(HELP);
else await run();
