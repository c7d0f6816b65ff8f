import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '@floe/contract/json';
import { listAgentHookDefinitions } from './agent-hook-definitions.ts';
import { computeCodexHookHash } from './codex-trust.ts';
import { findInstalledHooks, replaceFloeHooks } from './hook-configuration.ts';
import { findHookProblems } from './hook-problems.ts';

const COMMAND = `"${process.execPath}" "${join(import.meta.dirname, '..', '..', 'bin', 'floe-hook.mjs')}"`;

function agentNamed(name: string) {
  const agent = listAgentHookDefinitions({}, '/project').find((one) => one.agent === name);
  assert.ok(agent);
  return agent;
}

function problemsOf(name: string, change: (file: JsonObject) => JsonObject, path = '/none/hooks.json') {
  const agent = agentNamed(name);
  const file = change(replaceFloeHooks({}, agent, `${COMMAND} ${name}`));
  return findHookProblems(agent, { scope: 'user', path, file, allFiles: [{ scope: 'user', file }] });
}

/** A Codex home whose configuration says `toml`; the text before the place in a key is put in for PATH. */
function codexHome(t: TestContext, toml: string): string {
  const home = mkdtempSync(join(tmpdir(), 'floe-codex-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  mkdirSync(home, { recursive: true });
  const path = join(home, 'hooks.json');
  writeFileSync(join(home, 'config.toml'), toml.replaceAll('PATH', path));
  return path;
}

test('the hash of a hook is the one Codex 0.169.0 shows in its list of hooks', () => {
  const codex = agentNamed('codex');
  const file = replaceFloeHooks({}, codex, '"/usr/bin/node" "/x/floe-hook.mjs" codex');
  const hashes = Object.fromEntries(
    findInstalledHooks(file, codex).map((hook) => [hook.event, computeCodexHookHash(hook)]),
  );
  assert.deepEqual(hashes, {
    PreToolUse: 'sha256:f900c128728f280ce113663435c868dd621db901c5ed62bdf25f6863cb68506f',
    PermissionRequest: 'sha256:e405b35efdbf0c24b2217af0f754e6e684c88a4a2eeb54d6b021dc5e9d719b83',
    SessionStart: 'sha256:ad413957cce34b263d2594c4757c7a2daddf262ff037af442f1cf2e0e3496ec7',
    UserPromptSubmit: 'sha256:716b4be8c3d5e16b1f477adf4b59688645becdeb58767fa4aa22f3cbcd74f7d9',
  });
});

test('hooks that Codex skips for want of trust are named, and trusted ones are not', (t) => {
  const same = (file: JsonObject) => file;
  const trust = (hash: (event: string) => string, more = '') => {
    const codex = agentNamed('codex');
    return findInstalledHooks(replaceFloeHooks({}, codex, `${COMMAND} codex`), codex)
      .map((hook) => {
        const event = hook.event.replaceAll(/(?<!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
        return `[hooks.state."PATH:${event}:0:0"]\ntrusted_hash = "${hash(computeCodexHookHash(hook))}"\n${more}`;
      })
      .join('\n');
  };
  const CASES: readonly (readonly [toml: string, says: RegExp | null])[] = [
    ['', /does not run 4 of the hooks\. Reason: not trusted/],
    [trust((hash) => hash), null],
    [`model = "x"\n${trust((hash) => hash)}\n[projects."/a"]\ntrust_level = "trusted"\n`, null],
    [trust(() => 'sha256:00'), /does not run 4 of the hooks\. Reason: changed since/],
    [trust((hash) => hash, 'enabled = false\n'), /does not run 4 of the hooks\. Reason: disabled in/],
    [`[features]\nhooks = false\n${trust((hash) => hash)}`, /hooks = false/],
  ];
  for (const [toml, says] of CASES) {
    const problems = problemsOf('codex', same, codexHome(t, toml));
    if (says === null) assert.deepEqual(problems, [], toml);
    else assert.match(problems.join('\n'), says, toml);
  }
});

test('switches and missing programs that keep an agent from running its hooks are named', () => {
  assert.deepEqual(
    problemsOf('claude-code', (file) => file),
    [],
  );
  const off = problemsOf('claude-code', (file) => ({ ...file, disableAllHooks: true }));
  assert.match(off.join('\n'), /"disableAllHooks": true/);
  const gemini = problemsOf('gemini-cli', (file) => ({ ...file, hooksConfig: { enabled: false } }));
  assert.match(gemini.join('\n'), /"hooksConfig.enabled": false/);
  const agent = agentNamed('cursor');
  const file = replaceFloeHooks({}, agent, '"/gone/node" "/gone/floe-hook.mjs" cursor');
  const moved = findHookProblems(agent, { scope: 'user', path: '/none', file, allFiles: [] });
  assert.equal(moved.length, 2);
  const claude = agentNamed('claude-code');
  const managed = { scope: 'managed', file: { allowManagedHooksOnly: true } };
  const user = replaceFloeHooks({}, claude, `${COMMAND} claude-code`);
  assert.match(
    findHookProblems(claude, { scope: 'user', path: '/none', file: user, allFiles: [managed] }).join('\n'),
    /--managed/,
  );
});
