// Tier: ci. Starts the command line many times.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

test('a command used wrongly says how it is used', () => {
  const run = (...args: string[]) => {
    const done = spawnSync(process.execPath, [PROGRAM, ...args], {
      cwd: tmpdir(),
      encoding: 'utf8',
      env: { ...MINIMAL_ENVIRONMENT, FLOE_DATA_DIR: join(tmpdir(), 'floe-cli-unused') },
    });
    return [done.status, done.stderr] as const;
  };
  assert.deepEqual(run('backup'), [2, 'floe: usage: floe backup <file>\n']);
  assert.deepEqual(run('restore', 'a', '--fast'), [2, 'floe: usage: floe restore <file> [--force]\n']);
  assert.deepEqual(run('restore', '-a'), [2, 'floe: usage: floe restore <file> [--force]\n']);
  assert.deepEqual(run('operator', 'be', 'a@b.test')[0], 2);
  assert.deepEqual(run('config', 'check', '--allow'), [
    2,
    'floe: usage: floe config check [file] [--allow-unset]\n',
  ]);
  assert.deepEqual(run('storage', 'move'), [2, 'floe: usage: floe storage move sqlite:<file>\n']);
  assert.deepEqual(run('serve', 'now'), [2, 'floe: usage: floe serve\n']);
});
