import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { formatInstallCommands, HOOK_AGENTS } from './hook-install-commands.ts';

const FLOE = join(import.meta.dirname, '../../../../cli/bin/floe.mjs');

function runFloe(words: readonly string[], home: string): string {
  const { stdout, stderr } = spawnSync(process.execPath, [FLOE, ...words], {
    cwd: home,
    env: { ...process.env, HOME: home },
    encoding: 'utf8',
    timeout: 60_000,
  });
  return stdout + stderr;
}

test('the command line accepts the command for each agent, and the list is complete', (t) => {
  const home = mkdtempSync(join(tmpdir(), 'floe-hooks-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  for (const agent of HOOK_AGENTS) {
    const commands = formatInstallCommands(agent, 'https://floe.example');
    const words = commands.split('\n').at(-1)?.split(' ') ?? [];
    assert.equal(words[0], 'floe');
    const change = runFloe([...words.slice(1), '--dry-run'], home);
    assert.match(change, /^\/.*\n[+ ]/, agent.agent);
    // An agent that starts the hook by its name needs it in its own PATH.
    const isByName = change.includes('"floe-hook ');
    assert.equal(commands.includes(`${agent.label} runs floe-hook from its PATH`), isByName, agent.agent);
  }
  const [, names = ''] = /<([^>]+)>/.exec(runFloe(['hook', 'install', 'other'], home)) ?? [];
  assert.deepEqual(names.split('|').sort(), HOOK_AGENTS.map(({ agent }) => agent).sort());
});
