import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { RuntimeMetrics } from '../analytics/runtime-metrics.ts';
import { readEnvironment } from '../config/environment.ts';
import { loadConfig } from '../config/load-config.ts';
import { type Clock, systemClock } from '../core/clock.ts';
import { type Log, silentLog } from '../core/log.ts';
import { derivePlatformKeyPepper } from '../platform/keyring.ts';
import { deriveStoredSecretsKey } from '../platform/secrets.ts';
import { openDatabase } from '../store/open-database.ts';
import { listAllPlatformKeys } from '../store/platform-keys.ts';
import { storeSetting } from '../store/settings.ts';
import { createTemporaryDirectory } from '../store/test/temporary-directory.ts';
import type { ConfigFileLoadState } from './config-dependencies.ts';
import { ConfigThread, type ConfigThreadOptions } from './config-thread.ts';
import { applyConfigFile } from './gateway-snapshots.ts';
import { watchConfigFile } from './watch-config-file.ts';

const ROOT = Buffer.alloc(32, 1);

const fileWith = (...names: readonly string[]) =>
  JSON.stringify({
    orgs: [{ id: 'acme', keys: names.map((name) => ({ name, key: `eis_${name.padStart(32, '0')}` })) }],
  });

/** A thread that runs this code for each task. */
function createEntry(code: string): URL {
  const source = `import { parentPort } from 'node:worker_threads';
    parentPort.on('message', () => { ${code} });
    parentPort.postMessage({ ready: true });`;
  return new URL(`data:text/javascript,${encodeURIComponent(source)}`);
}

async function setUp(
  t: TestContext,
  settings: ConfigThreadOptions,
  clock: Pick<Clock, 'after'> = systemClock,
  processNumber = 1,
) {
  const dataDir = createTemporaryDirectory(t);
  const path = join(dataDir, 'floe.yaml');
  writeFileSync(path, fileWith('first'));
  const environment = readEnvironment({ FLOE_CONFIG: path, FLOE_DATA_DIR: dataDir });
  const errors: string[] = [];
  const log: Log = {
    ...silentLog,
    error: (fields, message) => errors.push(JSON.stringify([message, fields])),
  };
  const database = await openDatabase('sqlite:', { dataDir, log, clock: systemClock });
  const parts = {
    database,
    log,
    pepper: derivePlatformKeyPepper(ROOT),
    secretsKey: deriveStoredSecretsKey(ROOT),
    runtime: new RuntimeMetrics('0', 'unknown'),
    serverProcess: { processNumber },
    monitoring: {
      changeContext: async () => ({
        nowMs: systemClock.now(),
        committedUntil: systemClock.now(),
        gaps: [],
        rewindCount: 0,
      }),
    },
  };
  const loaded = loadConfig({ env: environment });
  const state: ConfigFileLoadState = { loaded, loadedAt: 0, rejected: null };
  await applyConfigFile(loaded, parts);
  const snapshots = { applyChange: (change: () => Promise<void>) => change() };
  const thread = new ConfigThread(environment, clock, settings);
  const watching = watchConfigFile(parts, state, snapshots, thread);
  t.after(async () => {
    await watching.close();
    await database.close();
  });
  const keys = async () =>
    (await listAllPlatformKeys(database.read))
      .filter(({ revoked_at }) => revoked_at === null)
      .map(({ name }) => name)
      .sort();
  return { path, state, loaded, watching, errors, keys, database, runtime: parts.runtime };
}

const FAULTS = {
  'it crashes': { code: 'throw new Error("broken")', reason: /broken/ },
  'it ends': { code: 'process.exit(0)', reason: /The worker thread exited with code 0/ },
  'it has no memory left': {
    code: 'const all = []; for (;;) all.push(new Array(100_000).fill(1.5));',
    reason: /exceeded the limit of 32 MB of memory/,
  },
};

for (const [what, { code, reason }] of Object.entries(FAULTS))
  test(`if the thread fails because ${what}, the configuration stays in force and the log has the reason`, async (t) => {
    const { path, state, loaded, watching, errors, keys, runtime } = await setUp(t, {
      entry: createEntry(code),
      heapMb: 32,
    });
    writeFileSync(path, fileWith('first', 'second'));
    await watching.reload();
    assert.equal(state.loaded, loaded);
    assert.deepEqual(await keys(), ['first']);
    assert.equal(errors.length, 1);
    assert.match(errors[0] ?? '', /the running configuration is kept/);
    assert.match(state.rejected?.problems[0]?.message ?? '', reason);
    assert.match(runtime.render(), /floe_config_reloads_total\{result="failure"\} 1/);
    // SIGHUP tries again.
    await watching.reload();
    assert.equal(errors.length, 2);
  });

test('a thread that takes too long is stopped, and the configuration stays in force', async (t) => {
  const alarms: (() => void)[] = [];
  const clock = {
    after(ms: number, run: () => void) {
      if (ms === 7_000) alarms.push(run);
      return { cancel: () => undefined };
    },
  };
  const settings = { entry: createEntry(''), timeoutMs: 7_000 };
  const { path, state, loaded, watching } = await setUp(t, settings, clock);
  writeFileSync(path, fileWith('second'));
  const reloading = watching.reload();
  while (alarms.length === 0) await new Promise((resolve) => setImmediate(resolve));
  alarms[0]?.();
  await reloading;
  assert.equal(state.loaded, loaded);
  assert.match(state.rejected?.problems[0]?.message ?? '', /exceeded the limit of 7 s/);
});

test('a second change during a reload is applied afterwards, and an invalid one changes nothing', async (t) => {
  const { path, state, watching, errors, keys } = await setUp(t, {});
  writeFileSync(path, fileWith('first', 'second'));
  const first = watching.reload();
  writeFileSync(path, fileWith('first', 'third'));
  const second = watching.reload();
  await Promise.all([first, second]);
  assert.deepEqual(await keys(), ['first', 'third']);
  const { loaded } = state;

  writeFileSync(path, fileWith('first', 'fourth', 'fourth'));
  await watching.reload();
  assert.equal(state.loaded, loaded);
  assert.deepEqual(await keys(), ['first', 'third']);
  assert.equal(errors.length, 1);
  writeFileSync(path, fileWith('fifth'));
  await watching.reload();
  assert.equal(state.rejected, null);
  assert.deepEqual(await keys(), ['fifth']);
});

test('a file that is truncated while the thread parses it is applied as it was read', async (t) => {
  const { path, watching, keys, state } = await setUp(t, {});
  writeFileSync(path, fileWith('first', 'second'));
  const reloading = watching.reload();
  await new Promise((resolve) => setImmediate(resolve));
  writeFileSync(path, '');
  await reloading;
  await watching.reload();
  assert.deepEqual(await keys(), ['first', 'second']);

  writeFileSync(path, Buffer.from([0x6f, 0xff]));
  await watching.reload();
  assert.match(state.rejected?.problems[0]?.message ?? '', /is not valid UTF-8/);
  assert.deepEqual(await keys(), ['first', 'second']);
});

for (const processNumber of [1, 2])
  test(`a reload is recorded once, also if process ${processNumber} is the only one that loads it`, async (t) => {
    const { path, watching, errors, database } = await setUp(t, {}, systemClock, processNumber);
    const countEntries = async () => {
      const { length } = await database.read
        .selectFrom('audit')
        .select('subject')
        .where('action', '=', 'config.reload')
        .execute();
      return length;
    };
    const write = (rpm: number) =>
      writeFileSync(
        path,
        JSON.stringify({ orgs: [{ id: 'acme', limits: [{ name: 'all', scope: 'org', rpm }] }] }),
      );
    write(5);
    await watching.reload();
    assert.deepEqual([errors, await countEntries()], [[], 1]);
    write(6);
    // Another process was first.
    const file = createHash('sha256').update(readFileSync(path)).digest('base64url');
    const record = (atMs: number) =>
      database.transaction((writer) => storeSetting(writer, 'recorded_config_file', `${file} ${atMs}`));
    await record(Date.now());
    await watching.reload();
    assert.deepEqual([errors, await countEntries()], [[], 1]);
    write(5);
    await watching.reload();
    assert.deepEqual([errors, await countEntries()], [[], 2]);
    // An earlier change to the same file is another change.
    await record(Date.now() - 3_600_000);
    write(6);
    await watching.reload();
    assert.deepEqual([errors, await countEntries()], [[], 3]);
  });
