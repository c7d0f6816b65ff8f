// Tier: ci. Starts the command line many times.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { startFloeProcess } from '@floe/testkit/floe-process';
import { MINIMAL_ENVIRONMENT } from '@floe/testkit/minimal-environment';

const PROGRAM = join(import.meta.dirname, 'main.ts');

test('backup works while the server runs, restore does not, and the restored instance knows its keys', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'floe-cli-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const dataDir = join(home, 'data');
  const file = join(home, 'backup.db');
  const floe = (...args: string[]) => {
    const env = { ...MINIMAL_ENVIRONMENT, FLOE_DATA_DIR: dataDir, FLOE_LOG_LEVEL: 'error' };
    const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], {
      cwd: home,
      env,
      encoding: 'utf8',
    });
    return [status, stdout + stderr] as const;
  };
  const [dry, planned] = floe('migrate', '--dry-run');
  assert.equal(dry, 0);
  // Each release adds its own; what stands first stays first.
  assert.match(planned, /^Would apply:\n {2}1 baseline\n( {2}\d+ [a-z-]+\n)*$/);
  const server = await startFloeProcess({ dataDir });
  t.after(() => server.kill());
  const key = await server.waitForKey();
  const [backedUp, said] = floe('backup', file);
  assert.equal(backedUp, 0, said);
  assert.match(said, /Store the secret key/);
  assert.match(
    floe('restore', file, '--force')[1],
    /^floe: Another Floe process is using the data directory/,
  );
  assert.match(floe('migrate')[1], /^floe: Another Floe process/);
  await server.stop();
  assert.deepEqual(floe('migrate'), [0, 'Nothing to migrate.\n']);
  assert.match(floe('restore', file)[1], /Use --force/);
  const [restored, told] = floe('restore', file, '--force');
  assert.equal(restored, 0, told);
  assert.match(told, /^Restored .*floe\.db\. The previous database was moved to .*before-restore-/);
  const again = await startFloeProcess({ dataDir });
  t.after(() => again.kill());
  const me = await fetch(`${again.url}/api/me`, { headers: { authorization: `Bearer ${key}` } });
  assert.equal(me.status, 200);
});

test('a restored database without its secret key, or with another, does not start and leaves nothing behind', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'floe-cli-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const [dataDir, restored] = [join(home, 'data'), join(home, 'restored')];
  const file = join(home, 'backup.db');
  const floe = (dir: string, ...args: string[]) => {
    const env = { ...MINIMAL_ENVIRONMENT, FLOE_DATA_DIR: dir, FLOE_LOG_LEVEL: 'error' };
    return spawnSync(process.execPath, [PROGRAM, ...args], { cwd: home, env, encoding: 'utf8' });
  };
  const server = await startFloeProcess({ dataDir });
  t.after(() => server.kill());
  const key = await server.waitForKey();
  await server.stop();
  assert.equal(floe(dataDir, 'backup', file).status, 0);
  assert.match(floe(restored, 'restore', file).stdout, /Before you start the server, provide the secret key/);

  const secretFiles = () => readdirSync(restored).filter((name) => name.startsWith('secret.'));
  await assert.rejects(
    startFloeProcess({ dataDir: restored }),
    /The database requires the secret key that it was created with\. Copy the original secret\.key to .*restored\/secret\.key \(chmod 600\)/,
  );
  assert.deepEqual(secretFiles(), []);
  assert.match(floe(restored, 'owner-link').stderr, /requires the secret key that it was created with/);
  assert.deepEqual(secretFiles(), []);
  const other = `${'k'.repeat(43)}\n`;
  writeFileSync(join(restored, 'secret.key'), other, { mode: 0o600 });
  await assert.rejects(startFloeProcess({ dataDir: restored }), /was used with a different secret key/);
  assert.deepEqual(secretFiles(), ['secret.key']);

  copyFileSync(join(dataDir, 'secret.key'), join(restored, 'secret.key'));
  const again = await startFloeProcess({ dataDir: restored });
  t.after(() => again.kill());
  const me = await fetch(`${again.url}/api/me`, { headers: { authorization: `Bearer ${key}` } });
  assert.equal(me.status, 200);
  await again.stop();

  // A backup of another installation over this one: what the data directory remembers is not in its way.
  writeFileSync(join(restored, 'secret.key'), other, { mode: 0o600 });
  writeFileSync(join(restored, 'secret.fingerprint'), `${'0'.repeat(32)}\n`);
  assert.equal(floe(restored, 'restore', file, '--force').status, 0);
  copyFileSync(join(dataDir, 'secret.key'), join(restored, 'secret.key'));
  await (await startFloeProcess({ dataDir: restored })).stop();
});

test('a command used wrongly says how it is used', () => {
  const run = (...args: string[]) => {
    const done = spawnSync(process.execPath, [PROGRAM, ...args], {
      cwd: tmpdir(),
      encoding: 'utf8',
      env: { ...MINIMAL_ENVIRONMENT, FLOE_DATA_DIR: join(tmpdir(), 'floe-cli-unused') },
    });
    return [done.status, done.stderr] as const;
  };
  assert.deepEqual(run('backup'), [2, 'floe: usage: floe backup <file> [--force]\n']);
  assert.deepEqual(run('restore', 'a', '--fast'), [2, 'floe: usage: floe restore <file> [--force]\n']);
  assert.deepEqual(run('restore', '-a'), [2, 'floe: usage: floe restore <file> [--force]\n']);
  assert.deepEqual(run('operator', 'be', 'a@b.test')[0], 2);
  assert.deepEqual(run('config', 'check', '--allow'), [
    2,
    'floe: usage: floe config check [file] [--allow-unset]\n',
  ]);
  assert.deepEqual(run('storage', 'move'), [2, 'floe: usage: floe storage move sqlite:<file>\n']);
  assert.deepEqual(run('serve', 'now'), [
    2,
    'floe: floe serve takes no arguments. Set options in floe.yaml or with environment variables such as FLOE_PORT.\n',
  ]);
});

test('config check reads standard input for "-"', () => {
  const check = (input: string) =>
    spawnSync(process.execPath, [PROGRAM, 'config', 'check', '-'], {
      cwd: tmpdir(),
      encoding: 'utf8',
      input,
      env: { ...MINIMAL_ENVIRONMENT, FLOE_DATA_DIR: join(tmpdir(), 'floe-cli-unused') },
    });
  assert.match(check('orgs: [{ id: acme, name: Acme }]').stdout, /^ok: <stdin>: 1 org/);
  const wrong = check('orgs:\n  - id: acme\n    nam: Acme\n');
  assert.match(wrong.stderr, /^<stdin>:3:5: orgs\[0\]: unknown key "nam"/m);
  assert.equal(wrong.status, 1);
});

test('secrets rewrap lists the secrets that no key decrypts, and its exit code is 1', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'floe-cli-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const dataDir = join(home, 'data');
  await (await startFloeProcess({ dataDir })).stop();
  const rewrap = () =>
    spawnSync(process.execPath, [PROGRAM, 'secrets', 'rewrap'], {
      cwd: home,
      encoding: 'utf8',
      env: { ...MINIMAL_ENVIRONMENT, FLOE_DATA_DIR: dataDir, FLOE_ENCRYPTION_KEYS: 'k'.repeat(32) },
    });
  assert.deepEqual([rewrap().status, rewrap().stderr], [0, '']);
  const database = new DatabaseSync(join(dataDir, 'floe.db'));
  database.exec(
    `insert into provider_credentials (id, org_id, provider_id, name, weight, origin, last4, sealed, version, created_at, updated_at, updated_by)
     values ('crd_1', 'default', 'p', 'k', 1, 'https://a.example', '', 'fs1.deadbeef.x.y', 1, 1, 1, 'test')`,
  );
  database.close();
  const { status, stdout, stderr } = rewrap();
  assert.equal(status, 1);
  assert.match(stdout, /^provider_credentials: 0 re-encrypted .*, 1 could not be decrypted/m);
  assert.match(stderr, /^floe: {3}provider_credentials: org default, id crd_1, name p\/k$/m);
  assert.match(stderr, /Append the missing key to FLOE_ENCRYPTION_KEYS, and run "floe secrets rewrap" again/);
});

test('commands that change the database do not create one in the wrong directory', (t) => {
  const home = mkdtempSync(join(tmpdir(), 'floe-cli-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  for (const args of [['owner-link'], ['operator', 'grant', 'a@b.test'], ['secrets', 'rewrap']]) {
    const { status, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], {
      cwd: home,
      encoding: 'utf8',
      env: MINIMAL_ENVIRONMENT,
    });
    assert.equal(status, 1);
    assert.match(
      stderr,
      /^floe: No database exists at .*floe\.db\. Start the server once to create it, or set FLOE_DATA_DIR/,
    );
  }
  assert.deepEqual(readdirSync(home), []);
});
