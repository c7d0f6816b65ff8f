// Tier: ci. Builds the console twice.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

/** Names and contents of a build, as one text. */
function build(dir) {
  const built = spawnSync(process.execPath, ['scripts/build-console.mjs', '--force', '--out', dir], {
    encoding: 'utf8',
  });
  assert.equal(built.status, 0, built.stderr);
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map(
      (path) => `${path.slice(dir.length)} ${createHash('sha256').update(readFileSync(path)).digest('hex')}`,
    )
    .join('\n');
}

test('two builds of the console are equal to the byte, and hold their budget', () => {
  const dirs = [0, 1].map(() => mkdtempSync(join(tmpdir(), 'floe-build-')));
  try {
    const [one, other] = dirs.map(build);
    assert.match(one, /\/assets\/index-[\w-]+\.js\.br /);
    assert.equal(one, other);
  } finally {
    for (const dir of dirs) rmSync(dir, { recursive: true });
  }
});
