import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { MINIMAL_ENVIRONMENT } from '@floe/testkit/minimal-environment';

/** The environment becomes too large for another process, so that `spawn` throws. */
const RUN_HOOK = `
  const at = (name) => import(${JSON.stringify(`${import.meta.dirname}/`)} + name + '.ts');
  const { readHookSettings, resolveHookPaths } = await at('hook-settings');
  const { markServerUnresponsive } = await at('unresponsive-server');
  const paths = resolveHookPaths();
  markServerUnresponsive(paths, readHookSettings(paths));
  process.env.LARGE = 'x'.repeat(8_000_000);
  const { runHook } = await at('main');
  process.exitCode = await runHook('claude-code');`;

test('a denial remains if the process that downloads the rules cannot be started', {
  skip: process.platform === 'win32' && 'Windows accepts an environment of this size',
}, (t) => {
  const home = mkdtempSync(join(tmpdir(), 'floe-hook-main-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', RUN_HOOK], {
    input: JSON.stringify({
      hook_event_name: 'PreToolUse',
      tool_name: 'Bash',
      tool_input: { command: 'ls' },
    }),
    env: {
      ...MINIMAL_ENVIRONMENT,
      HOME: home,
      FLOE_BASE_URL: 'http://127.0.0.1:9',
      FLOE_RELAY_KEY: 'eis_main',
      FLOE_RELAY_ON_ERROR: 'closed',
    },
    encoding: 'utf8',
  });
  assert.match(stdout, /"permissionDecision":"deny"/);
  assert.equal(status, 0, stderr);
});
