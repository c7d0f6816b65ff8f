// Tier: ci. It starts gateways and puts a load on them.
// The commands that compare gateways and commits start, measure for a second, and report. Their figures say nothing here.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { checkOutBase, findBase } from '../bench/src/compare/base-worktree.ts';
import { runBench, skipOutsideLinux } from './bench-command.mjs';
import { root } from './setup.mjs';

const skipWithoutGit = hasGit() ? skipOutsideLinux : 'this is not a Git repository with the program git';
/** The smallest load. Portkey and LiteLLM would be downloaded. */
const SMALL = ['--seconds', '1', '--warm', '1'];

function hasGit() {
  return spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root }).status === 0;
}

/** The cells of a row of a Markdown table. */
function cellsOf(report, label) {
  const row = report.split('\n').find((line) => line.startsWith(`| ${label} `));
  assert.ok(row, `the report has no row "${label}":\n${report}`);
  return row
    .split('|')
    .slice(2, -1)
    .map((cell) => cell.trim());
}

test('the comparison of gateways reports requests, streams, translation and features', {
  skip: skipOutsideLinux,
}, (t) => {
  const series = ['--series', 'requests,streams,translated,features', '--bodies', '1.6 KB', '--reps', '1'];
  const args = ['--only', 'nginx,bare,floe', '--no-save', ...series, ...SMALL];
  const { status, stdout, stderr } = runBench('gateways.mjs', args);
  assert.equal(status, 0, stderr);
  for (const label of [
    'CPU per request, 1.6 KB, c=64, µs',
    'time to first token p50, c=1, µs',
    'translated: CPU per request, 1.6 KB, c=64, µs',
    'two limits, a hard and a soft budget',
  ])
    assert.ok(
      cellsOf(stdout, label).some((cell) => Number(cell.replaceAll(',', '')) > 0),
      stdout,
    );
  const missing = /^- nginx: not measured, .+$/m.exec(stdout)?.[0];
  if (missing) t.diagnostic(missing);
  else assert.match(stdout, /\| +nginx \|/);
});

test('a gateway that is left out is not installed', { skip: skipOutsideLinux }, () => {
  const args = [
    '--only',
    'portkey,litellm',
    '--no-portkey',
    '--no-litellm',
    '--no-save',
    '--series',
    'requests',
  ];
  const { status, stdout, stderr } = runBench('gateways.mjs', args);
  assert.equal(status, 0, stderr);
  assert.doesNotMatch(`${stdout}${stderr}`, /installing|^- (?:Portkey|LiteLLM)/m);
});

test('the working tree is compared with another commit, whose files are removed afterwards', {
  skip: skipWithoutGit,
}, () => {
  const { status, stdout, stderr } = runBench('compare.mjs', ['--base', 'HEAD', '--rounds', '1', ...SMALL]);
  assert.equal(status, 0, stderr);
  for (const label of ['features off', 'features on']) {
    const [base, tree, ratio] = cellsOf(stdout, label).map(Number);
    assert.ok(base > 0 && tree > 0, stdout);
    assert.ok(
      Math.abs(ratio - tree / base) < 0.05,
      `the ratio of one pair is that of its figures:\n${stdout}`,
    );
  }
  const worktrees = spawnSync('git', ['worktree', 'list'], { cwd: root, encoding: 'utf8' }).stdout;
  assert.doesNotMatch(worktrees, /floe-compare-/);
});

test('a base with the same dependencies runs its own packages', { skip: skipWithoutGit }, (t) => {
  const dir = join(mkdtempSync(join(tmpdir(), 'floe-bench-test-')), 'base');
  const base = checkOutBase(findBase('HEAD'), dir);
  t.after(() => {
    base.remove();
    rmSync(dirname(dir), { recursive: true, force: true });
  });
  const inDir = createRequire(join(dir, 'packages', 'server', 'package.json'));
  assert.equal(
    inDir.resolve('@floe/contract/faults'),
    join(realpathSync(dir), 'packages/contract/src/faults.ts'),
  );
  assert.ok(inDir.resolve('zod').startsWith(join(realpathSync(root), 'node_modules')));
});

test('a commit that does not exist is an error that names it', { skip: skipWithoutGit }, () => {
  const { status, stderr } = runBench('compare.mjs', ['--base', 'no-such-commit']);
  assert.equal(status, 1);
  assert.match(stderr, /no-such-commit/);
});
