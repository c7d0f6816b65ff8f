import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { OrgSchema } from '@floe/contract/config/org';
import { RuntimeMetrics } from '../analytics/runtime-metrics.ts';
import { readEnvironment } from '../config/environment.ts';
import { loadConfig } from '../config/load-config.ts';
import { type Clock, systemClock } from '../core/clock.ts';
import { type Log, silentLog } from '../core/log.ts';
import { derivePlatformKeyPepper } from '../platform/keyring.ts';
import { deriveStoredSecretsKey } from '../platform/secrets.ts';
import { listAllPlatformKeys } from '../store/all-platform-keys.ts';
import { openDatabase } from '../store/open-database.ts';
import { findOrgById } from '../store/orgs.ts';
import { insertPlatformKey, revokePlatformKey } from '../store/platform-keys.ts';
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
  { processNumber = 1, faults = [] }: { processNumber?: number; faults?: string[] } = {},
) {
  const dataDir = createTemporaryDirectory(t);
  const path = join(dataDir, 'floe.yaml');
  writeFileSync(path, fileWith('first'));
  const environment = readEnvironment({ FLOE_CONFIG: path, FLOE_DATA_DIR: dataDir });
  const errors: string[] = [];
  const log: Log = {
    ...silentLog,
    error: (fields, message) =>
      errors.push(
        JSON.stringify([message, fields], (_, value) => (value instanceof Error ? value.message : value)),
      ),
  };
  const database = await openDatabase('sqlite:', { dataDir, log, clock: systemClock });
  const retries: { readonly ms: number; readonly run: () => unknown }[] = [];
  const retryClock = {
    after(ms: number, run: () => unknown) {
      const retry = { ms, run };
      retries.push(retry);
      return { cancel: () => void retries.splice(retries.indexOf(retry), 1) };
    },
  };
  const parts = {
    database,
    retryClock,
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
  /** Fails `before` or `after` the commit, as `faults` says. */
  const snapshots = {
    async applyChange(change: () => Promise<void>) {
      const fault = faults.shift();
      if (fault === 'before') throw new Error('connection to db.internal was lost');
      await change();
      if (fault === 'after') throw new Error('connection to db.internal was lost');
    },
  };
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
  /** Applies the file as at the start. */
  const apply = () => applyConfigFile(loadConfig({ env: environment }), parts);
  return { path, apply, state, loaded, watching, errors, keys, database, retries, runtime: parts.runtime };
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
    assert.match(errors[0] ?? '', reason);
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
  const { path, state, loaded, watching, retries } = await setUp(t, settings, clock);
  writeFileSync(path, fileWith('second'));
  const reloading = watching.reload();
  while (alarms.length === 0) await new Promise((resolve) => setImmediate(resolve));
  alarms[0]?.();
  await reloading;
  assert.equal(state.loaded, loaded);
  assert.deepEqual(
    state.rejected?.problems.map(({ message }) => message),
    ['Parsing the configuration file exceeded the limit of 7 s. Make the file smaller.'],
  );
  assert.deepEqual(retries, [], 'the file is the reason');
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

test('if a change fails after its commit, the next version of the file is compared with the database', async (t) => {
  const { path, state, loaded, watching, keys } = await setUp(t, {}, systemClock, { faults: ['after'] });
  writeFileSync(path, fileWith('second'));
  await watching.reload();
  assert.equal(state.loaded, loaded);
  writeFileSync(path, fileWith('first'));
  await watching.reload();
  assert.equal(state.rejected, null);
  assert.deepEqual(await keys(), ['first']);
});

test('a valid change is retried until it is applied, and users do not see the reason of the failure', async (t) => {
  const waits = [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000];
  const faults = waits.map((_, at) => (at % 2 === 0 ? 'before' : 'after'));
  const { path, state, errors, watching, keys, retries } = await setUp(t, {}, systemClock, { faults });
  writeFileSync(path, fileWith('second'));
  await watching.reload();
  for (const ms of waits) {
    assert.match(errors.at(-1) ?? '', /db\.internal/);
    const { problems } = state.rejected ?? {};
    assert.match(problems?.[0]?.message ?? '', /Floe tries again/);
    assert.doesNotMatch(JSON.stringify(problems), /db\.internal/);
    assert.deepEqual(
      retries.map((retry) => retry.ms),
      [ms],
    );
    await retries.shift()?.run();
  }
  assert.deepEqual(await keys(), ['second']);
  assert.deepEqual([state.rejected, retries], [null, []]);
});

test('a newer file replaces the one that is retried, and an invalid file is not retried', async (t) => {
  const { path, watching, keys, retries } = await setUp(t, {}, systemClock, { faults: ['before', 'before'] });
  writeFileSync(path, fileWith('second'));
  await watching.reload();
  assert.equal(retries.length, 1);
  writeFileSync(path, fileWith('second', 'second'));
  await watching.reload();
  assert.deepEqual(retries, []);
  writeFileSync(path, fileWith('third'));
  await watching.reload();
  assert.equal(retries.length, 1);
  writeFileSync(path, fileWith('fourth'));
  await watching.reload();
  assert.deepEqual([retries, await keys()], [[], ['fourth']]);
});

test('a change that fails after its commit is in the audit log, also if the file is reverted', async (t) => {
  const { path, watching, database } = await setUp(t, {}, systemClock, { faults: ['after', 'after'] });
  const before = readFileSync(path);
  const limits = [{ name: 'all', scope: 'org', rpm: 5 }];
  writeFileSync(path, JSON.stringify({ orgs: [{ id: 'acme', limits }] }));
  const countEntries = async () => {
    const query = database.read.selectFrom('audit').select('id').where('action', '=', 'config.reload');
    return (await query.execute()).length;
  };
  await watching.reload();
  assert.equal(await countEntries(), 1);
  await watching.reload();
  assert.equal(await countEntries(), 1, 'the retry changes nothing');
  writeFileSync(path, before);
  await watching.reload();
  assert.equal(await countEntries(), 2);
});

test('a file that conflicts with stored resources is retried, because they can change', async (t) => {
  const { path, state, watching, keys, retries, database } = await setUp(t, {});
  const [row] = await listAllPlatformKeys(database.read);
  assert.ok(row);
  const other = { ...row, hash: 'h'.repeat(64), id: 'key_other', name: 'second', source: 'console' };
  await database.transaction((writer) => insertPlatformKey(writer, other));
  const renamed = fileWith('first').replace('"name":"first"', '"name":"second"');
  writeFileSync(path, renamed);
  await watching.reload();
  assert.match(state.rejected?.problems[0]?.message ?? '', /another active key/);
  assert.deepEqual([await keys(), retries.length], [['first', 'second'], 1]);
  await database.transaction((writer) =>
    revokePlatformKey(writer, 'acme', other.id, { by: 'setup', nowMs: systemClock.now() }),
  );
  await retries.shift()?.run();
  assert.deepEqual([await keys(), state.rejected, retries], [['second'], null, []]);
});

test('a file that refers to an unreadable file is rejected, and retried until the file can be read', async (t) => {
  const { path, state, watching, keys, retries } = await setUp(t, {});
  const parsed: object = JSON.parse(fileWith('second'));
  const caFile = join(createTemporaryDirectory(t), 'ca.pem');
  writeFileSync(path, JSON.stringify({ ...parsed, outbound: { ca_file: caFile } }));
  await watching.reload();
  assert.deepEqual(
    state.rejected?.problems.map(({ where, message }) => [where, message]),
    [
      [
        'outbound.ca_file',
        'the file cannot be read (ENOENT); check that it exists and that Floe is allowed to read it',
      ],
    ],
  );
  assert.deepEqual([await keys(), retries.length], [['first'], 1]);
  writeFileSync(caFile, 'PEM');
  await retries.shift()?.run();
  assert.deepEqual([await keys(), state.rejected, retries], [['second'], null, []]);
});

for (const isRestarted of [false, true])
  test(`an organization that was removed from the file ${isRestarted ? 'while Floe did not run ' : ''}no longer has its settings`, async (t) => {
    const { path, watching, database, apply } = await setUp(t, {});
    const lab = { id: 'lab', keys: [] };
    const acme = {
      id: 'acme',
      limits: [{ name: 'all', scope: 'org', rpm: 5 }],
      monitoring: { grace_period_minutes: 7 },
      analytics: { metadata_keys: ['env'] },
    };
    const readStored = async () => {
      const { grace_ms } = await database.read
        .selectFrom('monitor_defaults')
        .select('grace_ms')
        .where('org_id', '=', 'acme')
        .executeTakeFirstOrThrow();
      return [grace_ms / 60_000, (await findOrgById(database.read, 'acme'))?.metadata_keys_json];
    };
    writeFileSync(path, JSON.stringify({ orgs: [lab, acme] }));
    await watching.reload();
    assert.deepEqual(await readStored(), [7, '["env"]']);
    writeFileSync(path, JSON.stringify({ orgs: [lab] }));
    await (isRestarted ? apply() : watching.reload());
    assert.deepEqual(await readStored(), [OrgSchema.parse(lab).monitoring.grace_period_minutes, null]);
    if (isRestarted) return;
    const entry = await database.read
      .selectFrom('audit')
      .select('after_json')
      .where('action', '=', 'config.reload')
      .where('org_id', '=', 'acme')
      .orderBy('at', 'desc')
      .orderBy('id', 'desc')
      .executeTakeFirst();
    const { changed } = JSON.parse(entry?.after_json ?? '{}');
    assert.ok(changed.includes('orgs.limits') && changed.includes('orgs.relay'), entry?.after_json ?? '');
  });

for (const processNumber of [1, 2])
  test(`a reload is recorded once, also if process ${processNumber} is the only one that loads it`, async (t) => {
    const { path, watching, errors, database } = await setUp(t, {}, systemClock, { processNumber });
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
