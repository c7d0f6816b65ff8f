import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readdirSync, statSync } from 'node:fs';
import { test } from 'node:test';
import { FatalError } from '../core/fatal-error.ts';
import { lockDataDir } from './data-dir-lock.ts';
import { createTemporaryDirectory } from './test/temporary-directory.ts';

const isTaken = (dataDir: string) => (error: unknown) =>
  error instanceof FatalError &&
  error.message ===
    `Another Floe process is using the data directory ${dataDir}. Stop that process, or set FLOE_DATA_DIR to another directory.`;

test('a data directory is locked once, and available after its release', (t) => {
  const dataDir = `${createTemporaryDirectory(t)}/made`;
  const lock = lockDataDir(dataDir);
  assert.throws(() => lockDataDir(dataDir), isTaken(dataDir));
  lock.release();
  lock.release();
  lockDataDir(dataDir).release();
});

test('files of the lock are readable by their owner only, whatever an earlier release left', (t) => {
  const dataDir = createTemporaryDirectory(t);
  for (const mode of [null, 0o644, 0o666]) {
    if (mode !== null) chmodSync(`${dataDir}/floe.lock`, mode);
    const lock = lockDataDir(dataDir);
    for (const name of readdirSync(dataDir))
      assert.equal(statSync(`${dataDir}/${name}`).mode & 0o077, 0, name);
    lock.release();
  }
});

test('a data directory in use is rejected until the other process is killed', async (t) => {
  const dataDir = createTemporaryDirectory(t);
  const script = `import { lockDataDir } from '${new URL('./data-dir-lock.ts', import.meta.url)}';
    lockDataDir(process.argv[1]);
    process.stdout.write('held');
    setInterval(() => {}, 1000);`;
  const holder = spawn(process.execPath, ['--input-type=module', '-e', script, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => holder.kill('SIGKILL'));
  await once(holder.stdout, 'data');
  assert.throws(() => lockDataDir(dataDir), isTaken(dataDir));
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  lockDataDir(dataDir).release();
});

test('a data directory that cannot be created is reported with its path', () => {
  assert.throws(
    () => lockDataDir('/dev/null/floe'),
    (error) =>
      error instanceof FatalError &&
      /Cannot write to the data directory \/dev\/null\/floe/.test(error.message),
  );
});
