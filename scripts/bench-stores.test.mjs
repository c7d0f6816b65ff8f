// Tier: ci. It starts servers and fills databases.
// Each command that measures databases, monitors and rules starts, does the smallest work that it can, and reports. Its
// figures say nothing here. bench/pages.mjs is not among them: it needs millions of rows and a browser.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runBench, skipOutsideLinux } from './bench-command.mjs';

const home = mkdtempSync(join(tmpdir(), 'floe-bench-test-'));
after(() => rmSync(home, { recursive: true, force: true }));

const COMMANDS = [
  {
    name: 'growth.mjs',
    args: ['--keys', '50', '--routes', '5', '--providers', '5', '--orgs', '2', '--runs', '1'],
    reports: /^\| create a route \| [\d.]+ \|/m,
  },
  {
    name: 'beats.mjs',
    args: ['--engines', 'sqlite', '--seconds', '1', '--monitors', '2000'],
    reports: /^sqlite +HTTP at 1,000\/s, p50 \/ p99, \d+ refused +\d/m,
  },
  {
    name: 'rows.mjs',
    args: ['--engines', 'sqlite', '--rows', '2000', '--days', '4', '--runs', '1', '--only', '^audit.list'],
    reports: /^audit\.list +\d/m,
  },
  { name: 'relay.mjs', args: [], env: { SECONDS: '1' }, reports: /^paced at 200\/s, [1-9]\d* decisions/m },
  {
    name: 'kills.mjs',
    args: ['--requests', '3000', '--seconds', '20', '--fresh', '--dir', join(home, 'kills')],
    reports: /^[1-9]\d* kills, .* rows, 0 lost, 0 doubled/m,
  },
];

for (const { name, args, env, reports } of COMMANDS)
  test(`${name} starts, measures and reports`, { skip: skipOutsideLinux }, () => {
    const { status, stdout, stderr } = runBench(name, args, env);
    assert.equal(status, 0, `${stdout}${stderr}`);
    assert.match(stdout, reports);
  });
