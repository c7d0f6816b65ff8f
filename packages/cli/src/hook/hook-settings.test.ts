import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listAgentHookDefinitions } from './agent-hook-definitions.ts';
import { readHookSettings, resolveHookServerTimeoutMs } from './hook-settings.ts';

const NO_FILES = { managed: '/nonexistent/managed', user: '/nonexistent/user', cache: '/nonexistent' };

test('the time limit for the server is below the time after which agents stop a hook', () => {
  const settings = readHookSettings(NO_FILES, { FLOE_RELAY_KEY: 'k', FLOE_RELAY_DEADLINE_MS: '60000' });
  const limits = listAgentHookDefinitions({}, '/project').flatMap((definition) => {
    const { timeout, timeoutSec } = definition.createEntry('floe-hook');
    const ms = Number(timeout ?? timeoutSec) * (definition.agent === 'gemini-cli' ? 1 : 1_000);
    return Number.isNaN(ms) ? [] : [ms];
  });
  assert.equal(limits.length, 6);
  const limit = resolveHookServerTimeoutMs(settings, 'codex', 'PreToolUse');
  // Starting the hook and deciding without the server takes time, too.
  for (const ms of limits) assert.ok(limit <= ms - 3_000, `${limit} ms, stopped after ${ms} ms`);
});
