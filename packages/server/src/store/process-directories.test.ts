import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { silentLog } from '../core/log.ts';
import { lockDataDir } from './data-dir-lock.ts';
import { getProcessDataDir, lockInstallation, takeOverProcessDirectories } from './process-directories.ts';

function createDataDir(t: TestContext, files: Readonly<Record<string, string>>): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'floe-processes-'));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dataDir, path)), { recursive: true });
    writeFileSync(join(dataDir, path), text);
  }
  return dataDir;
}

test('the first process uses the data directory, and each other process a directory in it', () => {
  assert.equal(getProcessDataDir('/data', 1), '/data');
  assert.equal(getProcessDataDir('/data', 3), '/data/process-3');
});

test('a command locks the directories of all processes', (t) => {
  const dataDir = createDataDir(t, { 'process-2/process.id': '2' });
  const running = lockDataDir(join(dataDir, 'process-2'));
  assert.throws(() => lockInstallation(dataDir), /Another Floe process is using .*process-2/);
  lockDataDir(dataDir).release();
  running.release();
  const lock = lockInstallation(dataDir);
  for (const directory of [dataDir, join(dataDir, 'process-2')])
    assert.throws(() => lockDataDir(directory), /Another Floe process is using/);
  lock.release();
  lockInstallation(dataDir).release();
});

test('spools and spend journals of processes that are no longer configured are taken over', async (t) => {
  const dataDir = createDataDir(t, {
    'spool/rows-000000007.jsonl': 'own',
    'process-2/spool/rows-000000001.jsonl': 'in use',
    'process-3/spool/rows-000000002.jsonl': 'second',
    'process-3/spool/rows-000000001.jsonl': 'first',
    'process-3/spool/rejected.jsonl': 'rejected',
    'process-3/relay-spool/rows-000000001.jsonl': 'relay',
    'process-3/spend/journal/rows-000000001.jsonl': 'spend',
    'process-10/bodies/rows-000000004.jsonl': 'body',
  });
  await takeOverProcessDirectories(dataDir, 2, silentLog);
  const read = (path: string) => readFileSync(join(dataDir, path), 'utf8');
  assert.equal(read('spool/rows-000000007.jsonl'), 'own');
  assert.equal(read('spool/rows-000000008.jsonl'), 'first');
  assert.equal(read('spool/rows-000000009.jsonl'), 'second');
  assert.equal(read('spool/process-3-rejected.jsonl'), 'rejected');
  assert.equal(read('relay-spool/rows-000000001.jsonl'), 'relay');
  assert.equal(read('spend/journal/rows-000000001.jsonl'), 'spend');
  assert.equal(read('bodies/rows-000000001.jsonl'), 'body');
  assert.deepEqual(
    readdirSync(dataDir).filter((name) => name.startsWith('process-')),
    ['process-2'],
  );
  assert.equal(read('process-2/spool/rows-000000001.jsonl'), 'in use');
});

test('the data of a process that is still running is not touched', async (t) => {
  const dataDir = createDataDir(t, { 'process-2/spool/rows-000000001.jsonl': 'row' });
  const lock = lockDataDir(join(dataDir, 'process-2'));
  t.after(() => lock.release());
  await assert.rejects(takeOverProcessDirectories(dataDir, 1, silentLog), /Another Floe process is using/);
  assert.ok(existsSync(join(dataDir, 'process-2/spool/rows-000000001.jsonl')));
});

test('rejected rows of an earlier process with the same number are kept', async (t) => {
  const dataDir = createDataDir(t, {
    'spool/process-2-rejected.jsonl': 'earlier',
    'process-2/spool/rejected.jsonl': 'later',
  });
  await takeOverProcessDirectories(dataDir, 1, silentLog);
  assert.equal(readFileSync(join(dataDir, 'spool/process-2-rejected.jsonl'), 'utf8'), 'earlier');
  assert.equal(readFileSync(join(dataDir, 'spool/2-process-2-rejected.jsonl'), 'utf8'), 'later');
});

test('a directory with files of another installation is kept as it is', async (t) => {
  const files = {
    'process-2/floe.db': 'database',
    'process-2/secret.key': 'key',
    'process-2/spool/rows-000000001.jsonl': 'row',
  };
  const dataDir = createDataDir(t, files);
  await takeOverProcessDirectories(dataDir, 1, silentLog);
  for (const [path, text] of Object.entries(files))
    assert.equal(readFileSync(join(dataDir, path), 'utf8'), text);
});
