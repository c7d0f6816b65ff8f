// Tier: ci. It starts servers and puts a load on them.
// Each command that measures the gateway starts, does the smallest work that it can, and reports. Its figures say nothing here.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runBench, skipOutsideLinux } from './bench-command.mjs';

const COMMANDS = [
  {
    name: 'access-log.mjs',
    args: ['--rounds', '1', '--seconds', '1', '--warm', '1'],
    reports: /^access log: mean/m,
  },
  {
    name: 'overload.mjs',
    args: ['--rounds', '1', '--seconds', '1', '--warm', '1', '--connections', '4'],
    reports: /^unprotected, tenfold, clients do not wait +goodput +\d+/m,
  },
  {
    name: 'profile.mjs',
    args: ['--seconds', '4', '--warm', '1', '--rows', '3'],
    reports: /^main thread, \d/m,
  },
  {
    name: 'sizing.mjs',
    args: [],
    env: { SECONDS: '1', WARM_SECONDS: '1', SIZES: '1.6 KB' },
    reports: /^\| SQLite \| all of these \| 1\.6 KB \| \d+ µs/m,
  },
];

for (const { name, args, env, reports } of COMMANDS)
  test(`${name} starts, measures and reports`, { skip: skipOutsideLinux }, () => {
    const { status, stdout, stderr } = runBench(name, args, env);
    assert.equal(status, 0, `${stdout}${stderr}`);
    assert.match(stdout, reports);
  });
