import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createPrivateDirectory } from './create-private-directory.ts';

test('a directory and its missing parents are created for their owner only', (t) => {
  const home = mkdtempSync(join(tmpdir(), 'floe-directory-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const path = join(home, 'a', 'b');
  createPrivateDirectory(path);
  createPrivateDirectory(path);
  for (const directory of [join(home, 'a'), path])
    assert.deepEqual([statSync(directory).isDirectory(), statSync(directory).mode & 0o077], [true, 0]);
});

test('a path below a file or in a file system that creates no directories fails', (t) => {
  const home = mkdtempSync(join(tmpdir(), 'floe-directory-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const file = join(home, 'file');
  writeFileSync(file, '');
  assert.throws(() => createPrivateDirectory(file), { code: 'ENOTDIR' });
  assert.throws(() => createPrivateDirectory(join(file, 'a', 'b')), { code: 'ENOTDIR' });
  if (process.platform === 'linux')
    assert.throws(() => createPrivateDirectory('/proc/floe/data'), { code: 'ENOENT' });
});
