// Tier: ci. Starts the server some thirty times.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { SERVER_PROGRAM, startFloeProcess } from '@floe/testkit/floe-process';
import { checkConfigFile } from '../src/config/check-config.ts';
import { readEnvironment } from '../src/config/environment.ts';
import { CLI_PROGRAM, runProgramToEnd } from './run-program.ts';

const home = mkdtempSync(join(tmpdir(), 'floe-refused-'));
after(() => rmSync(home, { recursive: true, force: true }));

let folders = 0;
function freshFolder(): string {
  const folder = join(home, `${++folders}`);
  mkdirSync(folder);
  return folder;
}

/** The server ends at once, with one line for the operator and nothing of its own insides. */
async function assertRefusesToStart(env: Record<string, string>, says: RegExp, lines = 1): Promise<void> {
  const cwd = freshFolder();
  const ended = await runProgramToEnd(
    SERVER_PROGRAM,
    [],
    { FLOE_DATA_DIR: join(cwd, 'data'), FLOE_PORT: '0', ...env },
    cwd,
  );
  assert.deepEqual([ended.code, ended.signal], [1, null], ended.stderr);
  assert.equal(ended.stdout.replaceAll(/^\{.*\}\n/gm, ''), '', 'nothing is announced');
  const told = ended.stderr.trimEnd().split('\n');
  assert.equal(told.length, lines, ended.stderr);
  for (const line of told) assert.match(line, /^floe: /);
  assert.match(ended.stderr, says);
  assert.doesNotMatch(ended.stderr, /^\s+at |node:internal|\.ts:\d/m);
}

test('a port in use', async () => {
  const other = createServer();
  await once(other.listen(0, '127.0.0.1'), 'listening');
  const address = other.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  await assertRefusesToStart({ FLOE_PORT: String(port) }, /in use by another program.*FLOE_PORT/);
  other.close();
});

test('a data directory that cannot be created, below a file', async () => {
  const file = join(freshFolder(), 'file');
  writeFileSync(file, '');
  await assertRefusesToStart(
    { FLOE_DATA_DIR: join(file, 'data') },
    /Cannot write to the data directory .*ENOTDIR/,
  );
});

test('a data directory that the file system does not create, such as in /proc', async (t) => {
  if (process.platform !== 'linux') return t.skip('requires /proc');
  await assertRefusesToStart(
    { FLOE_DATA_DIR: '/proc/floe/data' },
    /Cannot write to the data directory \/proc\/floe\/data: ENOENT.* set FLOE_DATA_DIR to a directory/,
  );
});

test('a secret key that other users can read', async () => {
  const data = freshFolder();
  writeFileSync(join(data, 'secret.key'), `${'k'.repeat(43)}\n`, { mode: 0o644 });
  await assertRefusesToStart({ FLOE_DATA_DIR: data }, /chmod 600 .*secret\.key/);
});

test('a data directory that is a file', async () => {
  const file = join(freshFolder(), 'file');
  writeFileSync(file, '');
  await assertRefusesToStart({ FLOE_DATA_DIR: file }, /Cannot write to the data directory/);
});

test('an address that is not of this machine', () =>
  assertRefusesToStart({ FLOE_HOST: '203.0.113.1' }, /not an address of this machine. Change FLOE_HOST/));

test('a port that is not a number', () => assertRefusesToStart({ FLOE_PORT: 'http' }, /FLOE_PORT/));

test('an unknown log level', () =>
  assertRefusesToStart({ FLOE_LOG_LEVEL: 'loud' }, /FLOE_LOG_LEVEL: must be one of/));

test('a short secret key', () =>
  assertRefusesToStart({ FLOE_SECRET_KEY: 'short' }, /FLOE_SECRET_KEY: must be at least 32 characters long/));

test('a missing configuration file', () =>
  assertRefusesToStart({ FLOE_CONFIG: 'nowhere.yaml' }, /nowhere\.yaml: cannot be read \(ENOENT\)/));

const BROKEN_FILES: readonly (readonly [what: string, text: string, says: RegExp])[] = [
  ['a tab as indentation', 'server:\n\tport: 1\n', /floe\.yaml:2:\d+: a tab is used/],
  [
    'a key set twice',
    'server: {}\nserver: {}\n',
    /floe\.yaml:2:\d+: this key occurs more than once in the same map/,
  ],
  ['an unknown section', 'sever: {}\n', /floe\.yaml:1:1: .*server/],
  ['an unknown field', 'server: { prot: 1 }\n', /floe\.yaml:1:\d+: server.*port/],
  ['a wrong type', 'retention: { audit_days: many }\n', /floe\.yaml:1:\d+: retention\.audit_days: /],
  ['a list', '- server\n', /must be a map with sections/],
  ['a variable that is not set', `server: { base_url: "$${'{NOT_SET}'}" }\n`, /NOT_SET/],
  [
    'an unknown provider kind',
    'orgs: [{ id: a, name: A, providers: [{ id: x, kind: opnai }] }]\n',
    /kind.*openai/,
  ],
  [
    'a platform key that is too short',
    'orgs: [{ id: a, name: A, keys: [{ name: k, key: eis_short }] }]\n',
    /keys\[0\]\.key/,
  ],
];

test('an invalid floe.yaml ends the start with a message that has the position', async () => {
  const file = join(freshFolder(), 'floe.yaml');
  writeFileSync(file, 'server: { port: 1\n');
  await assertRefusesToStart({ FLOE_CONFIG: file }, /floe\.yaml:2:1: the indentation/);
});

test('a shared database without a shared key', () =>
  assertRefusesToStart({ FLOE_DATABASE_URL: 'postgres://localhost/floe' }, /FLOE_SECRET_KEY/));

for (const [what, text, says] of BROKEN_FILES)
  test(`a floe.yaml with ${what}`, () => {
    const path = join(freshFolder(), 'floe.yaml');
    writeFileSync(path, text);
    const { ok, lines } = checkConfigFile({ env: readEnvironment({}), path });
    assert.deepEqual([ok, lines.length], [false, 1], lines.join('\n'));
    assert.match(lines.join('\n'), says);
  });

test('a floe.yaml with several mistakes: a line for each, and no value of the file', async () => {
  const file = join(freshFolder(), 'floe.yaml');
  writeFileSync(file, 'retention: { audit_days: swordfish }\nsmtp: { from: 1 }\nnothing: swordfish\n');
  await assertRefusesToStart({ FLOE_CONFIG: file }, /^(?!.*swordfish)/s, 3);
});

test('a data directory that another process uses', async () => {
  const dataDir = join(freshFolder(), 'data');
  const first = await startFloeProcess({ dataDir });
  await assertRefusesToStart({ FLOE_DATA_DIR: dataDir }, /Another Floe process is using the data directory/);
  assert.deepEqual(await first.stop(), { code: 0, signal: null });
});

test('a different secret key, a missing secret key, a newer database', async () => {
  const dataDir = join(freshFolder(), 'data');
  await (await startFloeProcess({ dataDir })).stop();
  const env = { FLOE_DATA_DIR: dataDir };
  await assertRefusesToStart(
    { ...env, FLOE_SECRET_KEY: 'x'.repeat(40) },
    /FLOE_SECRET_KEY is not the secret key that/,
  );

  const database = new DatabaseSync(join(dataDir, 'floe.db'));
  database.exec("insert into migrations (number, name, applied_at) values (999, 'from the future', 0)");
  database.close();
  await assertRefusesToStart(env, /migrated by a newer version of Floe: migration 999/);

  writeFileSync(join(dataDir, 'floe.db'), 'this is no database, whatever its name says.'.repeat(100));
  await assertRefusesToStart(env, /floe\.db/);

  rmSync(join(dataDir, 'secret.key'));
  await assertRefusesToStart(env, /secret key for .* is missing/);
});

test('floe config check: a summary of a valid file, a line for each mistake, and the exit codes', async () => {
  const cwd = freshFolder();
  const check = (...args: string[]) => runProgramToEnd(CLI_PROGRAM, ['config', 'check', ...args], {}, cwd);
  writeFileSync(
    join(cwd, 'good.yaml'),
    'orgs: [{ id: a, name: A, providers: [{ id: sandbox, kind: sandbox }] }]\n',
  );
  writeFileSync(join(cwd, 'bad.yaml'), 'server: { port: -1 }\nnothing: 1\n');

  const good = await check('good.yaml');
  assert.deepEqual([good.code, good.stderr], [0, '']);
  assert.match(good.stdout, /^ok: good\.yaml: 1 org, 1 provider, 0 routes, 0 monitors\n$/);

  const bad = await check('bad.yaml');
  assert.deepEqual([bad.code, bad.stdout], [1, '']);
  assert.match(bad.stderr, /^bad\.yaml:1:\d+: server\.port: .*\nbad\.yaml:2:1: .*\n$/);

  const missing = await check('nowhere.yaml');
  assert.equal(missing.code, 1);
  assert.match(missing.stderr, /^nowhere\.yaml: cannot be read \(ENOENT\); check that .*\n$/);

  const none = await check();
  assert.deepEqual(
    [none.code, none.stdout],
    [0, 'ok: no file, defaults only: 0 orgs, 0 providers, 0 routes, 0 monitors\n'],
  );
});

test('floe: help on standard output, an unknown command on standard error', async () => {
  const cwd = freshFolder();
  for (const args of [[], ['--help']]) {
    const help = await runProgramToEnd(CLI_PROGRAM, args, {}, cwd);
    assert.equal(help.code, 0);
    assert.match(help.stdout, /floe serve[\s\S]*floe config check/);
  }
  const unknown = await runProgramToEnd(CLI_PROGRAM, ['frobnicate'], {}, cwd);
  assert.deepEqual([unknown.code, unknown.stdout], [2, '']);
  assert.match(unknown.stderr, /Unknown command "frobnicate"\. Run "floe help" to list the commands\.\n$/);
  const unknownHelp = await runProgramToEnd(CLI_PROGRAM, ['help', 'monitor'], {}, cwd);
  assert.deepEqual([unknownHelp.code, unknownHelp.stdout], [2, '']);
  assert.match(unknownHelp.stderr, /Unknown command "monitor"\. Did you mean "monitors"\?/);
  const unknownOperation = await runProgramToEnd(CLI_PROGRAM, ['help', 'monitors', 'lst'], {}, cwd);
  assert.equal(unknownOperation.code, 2);
  assert.match(unknownOperation.stderr, /Unknown command "monitors lst"\. Did you mean "monitors list"\?/);
  for (const name of [['backup'], ['monitors'], ['monitors', 'list']]) {
    const [asked, same] = await Promise.all(
      [
        ['help', ...name],
        [...name, '--help'],
      ].map((args) => runProgramToEnd(CLI_PROGRAM, args, {}, cwd)),
    );
    assert.deepEqual([asked?.code, asked?.stdout], [0, same?.stdout]);
  }
  const misspelt = await runProgramToEnd(CLI_PROGRAM, ['monitor', 'list'], {}, cwd);
  assert.match(misspelt.stderr, /Did you mean "monitors list"\?/);
  for (const asked of ['version', '--version'])
    assert.match((await runProgramToEnd(CLI_PROGRAM, [asked], {}, cwd)).stdout, /^floe \d+\.\d+\.\d+\n$/);
  // Operations outside the API are listed together with those of the API.
  const subject = await runProgramToEnd(CLI_PROGRAM, ['config', '--help'], {}, cwd);
  assert.match(subject.stdout, /floe config apply <file> \[--prune\] .*\n {2}floe config check \[file\] /);
  const backup = await runProgramToEnd(CLI_PROGRAM, ['backup', '--help'], {}, cwd);
  assert.match(backup.stdout, /FLOE_DATA_DIR/);
});
