import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { listSourceFiles } from './source-files.mjs';

const RUNNER = fileURLToPath(new URL('run-tests.mjs', import.meta.url));

test('every test is counted, and a file that leaves a listener open ends', (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'floe-run-tests-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const many = join(dir, 'many.test.mjs');
  const words = 'x'.repeat(2_000);
  writeFileSync(
    many,
    `import { test } from 'node:test'; for (let n = 0; n < 1500; n++) test(n + ' ${words}', () => {});`,
  );
  const open = join(dir, 'open.test.mjs');
  writeFileSync(
    open,
    `import { createServer } from 'node:net'; import { before, test } from 'node:test';
     before(() => { createServer().listen(0); throw new Error('no set-up'); });
     test('never', () => {});`,
  );
  // Without what tells node:test that it runs inside a test.
  const { NODE_TEST_CONTEXT: _, CI: _ci, ...env } = process.env;
  const { stdout, status } = spawnSync(process.execPath, [RUNNER, many, open], { encoding: 'utf8', env });
  assert.match(stdout, /^1500 passed, [12] failed$/m);
  assert.match(stdout, /no set-up/);
  assert.equal(status, 1);
});

test('an error that cannot be written as text ends the run like any other', (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'floe-run-tests-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const odd = join(dir, 'odd.test.mjs');
  writeFileSync(
    odd,
    `import assert from 'node:assert/strict'; import { test } from 'node:test';
     test('functions', () => assert.deepEqual({ a: () => 1 }, { a: 1 }));
     test('no prototype', () => { throw Object.assign(Object.create(null), { stack: {} }); });
     test('fine', () => {});`,
  );
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const options = { encoding: 'utf8', env, timeout: 60_000 };
  const { stdout, status } = spawnSync(process.execPath, [RUNNER, odd], options);
  assert.match(stdout, /^1 passed, 2 failed$/m);
  assert.equal(status, 1);
});

test('files of the second tier say why they are in it', () => {
  const marked = listSourceFiles('packages', ['.test.ts']).filter((file) =>
    readFileSync(file, 'utf8').slice(0, 600).includes('// Tier:'),
  );
  assert.ok(marked.length > 0);
  for (const file of marked)
    assert.match(readFileSync(file, 'utf8').slice(0, 600), /^\/\/ Tier: (?:ci|deploy)\. \S.+\.$/m, file);
});
