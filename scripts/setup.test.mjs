// The runtime that old Nodes fetch is one package with one hash.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { RUNTIME_INTEGRITY, RUNTIME_PACKAGES, writeLock } from './setup.mjs';

test('every package the runtime may come from has a SHA-512 of its own', () => {
  const names = Object.values(RUNTIME_PACKAGES);
  assert.deepEqual(Object.keys(RUNTIME_INTEGRITY).sort(), [...names].sort());
  for (const integrity of Object.values(RUNTIME_INTEGRITY))
    assert.equal(Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').length, 64);
  assert.equal(new Set(Object.values(RUNTIME_INTEGRITY)).size, names.length);
});

test('npm is given a lock file with that hash and nothing else', (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'floe-lock-'));
  t.after(() => rmSync(dir, { recursive: true }));
  writeLock(dir, 'a-package', '1.2.3', 'sha512-x');
  const lock = JSON.parse(readFileSync(join(dir, 'package-lock.json'), 'utf8'));
  assert.deepEqual(lock.packages['node_modules/a-package'], { version: '1.2.3', integrity: 'sha512-x' });
  assert.equal(Object.keys(lock.packages).length, 2);
});
