import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { listAgentHookDefinitions } from './agent-hook-definitions.ts';
import { readHookSettings, resolveHookPaths, resolveHookServerTimeoutMs } from './hook-settings.ts';

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

test('relative paths in XDG variables are ignored', () => {
  const relative = resolveHookPaths({ XDG_CONFIG_HOME: '.config', XDG_CACHE_HOME: 'cache' });
  assert.deepEqual(relative, resolveHookPaths({}));
  const absolute = resolveHookPaths({ XDG_CONFIG_HOME: tmpdir(), XDG_CACHE_HOME: tmpdir() });
  assert.equal(absolute.user, join(tmpdir(), 'floe', 'relay.json'));
  assert.equal(absolute.cache, join(tmpdir(), 'floe', 'relay'));
});

const CANNOT_RESTRICT = process.platform === 'win32' && 'Windows has no file modes';

test('of a file that other users may read or change, only on_error: closed applies', {
  skip: CANNOT_RESTRICT,
}, (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'floe-hook-settings-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const paths = { ...NO_FILES, managed: join(directory, 'managed'), user: join(directory, 'user') };
  const settings = { base_url: 'https://other.example', key: 'eis_other', on_error: 'closed' };
  for (const [path, mode] of [
    [paths.managed, 0o666],
    [paths.user, 0o644],
  ] as const) {
    writeFileSync(path, JSON.stringify(settings));
    chmodSync(path, mode);
    const read = readHookSettings(paths, { FLOE_RELAY_KEY: 'eis_mine' });
    assert.notEqual(read.baseUrl, settings.base_url);
    assert.notEqual(read.key, settings.key);
    assert.equal(read.onError, 'closed');
    assert.match(read.problem ?? '', /Run: chmod /);
    writeFileSync(path, JSON.stringify({ ...settings, on_error: 'open' }));
    assert.equal(readHookSettings(paths, { FLOE_RELAY_ON_ERROR: 'open' }).onError, 'open');
    rmSync(path);
  }
  writeFileSync(paths.managed, JSON.stringify(settings));
  chmodSync(paths.managed, 0o664);
  assert.equal(readHookSettings(paths, {}).baseUrl, settings.base_url);
});

test('a settings file that cannot be used is not replaced with weaker settings', (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'floe-hook-settings-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const paths = { ...NO_FILES, managed: join(directory, 'managed'), user: join(directory, 'user') };
  const environment = { FLOE_BASE_URL: 'https://other.example', FLOE_RELAY_KEY: 'eis_other' };
  writeFileSync(paths.user, JSON.stringify({ key: 'eis_mine', on_error: 'open' }), { mode: 0o600 });
  for (const make of [
    () => writeFileSync(paths.managed, '{"on_error": "closed",}'),
    () => writeFileSync(paths.managed, '[]'),
    () => mkdirSync(paths.managed),
  ]) {
    make();
    const { onError, problem, key } = readHookSettings(paths, environment);
    assert.deepEqual([onError, key], ['closed', 'eis_mine']);
    assert.match(problem ?? '', /managed (?:must contain a JSON object|cannot be read)/);
    rmSync(paths.managed, { recursive: true });
  }
  assert.equal(readHookSettings(paths, environment).onError, 'open');
  for (const mode of [0o600, 0o644]) {
    writeFileSync(paths.user, '{"on_error": "closed",}');
    chmodSync(paths.user, mode);
    assert.equal(readHookSettings(paths, environment).onError, 'closed', mode.toString(8));
  }
  rmSync(paths.user);
  mkdirSync(paths.user);
  const { onError, key } = readHookSettings(paths, environment);
  assert.deepEqual([onError, key], ['closed', null], 'a project can set the environment');
});
