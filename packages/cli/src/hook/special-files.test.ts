import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { getBundleCacheDirectory } from './bundle-cache.ts';
import { readHookSettings } from './hook-settings.ts';

/** Far above what a busy machine needs; only a process that never ends gets there. */
const HUNG_MS = 60_000;

/** Every file that a hook reads or writes after its code is loaded, while an agent waits. */
const USE_FILES = `
  const [home] = process.argv.slice(1);
  const at = (name) => import(${JSON.stringify(`${import.meta.dirname}/`)} + name + '.ts');
  const { findGitRemoteAndBranch } = await at('git-repository');
  const { readHookSettings } = await at('hook-settings');
  const { getBundleCacheDirectory, readCachedBundle, tryClaimBundleRefresh } = await at('bundle-cache');
  const { isServerUnresponsive, markServerUnresponsive } = await at('unresponsive-server');
  const paths = { managed: home + '/managed', user: home + '/user', cache: home };
  const settings = readHookSettings(paths, { FLOE_RELAY_KEY: 'eis_pipes' });
  const directory = getBundleCacheDirectory(paths, { ...settings, key: 'eis_pipes' });
  markServerUnresponsive(paths, { ...settings, key: 'eis_pipes' });
  console.log(JSON.stringify([
    findGitRemoteAndBranch(home + '/file') ?? null,
    findGitRemoteAndBranch(home + '/inner') ?? null,
    findGitRemoteAndBranch(home + '/blank') ?? null,
    readCachedBundle(directory, settings),
    isServerUnresponsive(paths, { ...settings, key: 'eis_pipes' }, Date.now()),
    tryClaimBundleRefresh(directory, 0, Date.now()),
    settings.problem,
  ]));`;

test('named pipes and hostile content in the files that a hook uses do not block it', {
  skip: process.platform === 'win32' && 'Windows has no named pipes in directories',
}, (t) => {
  const home = mkdtempSync(join(tmpdir(), 'floe-hook-pipes-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const settings = { ...readHookSettings({ managed: '', user: '', cache: home }, {}), key: 'eis_pipes' };
  const cache = getBundleCacheDirectory({ cache: home }, settings);
  const pipes = [
    'managed',
    'user',
    'file/.git',
    'inner/.git/HEAD',
    'inner/.git/config',
    'inner/.git/commondir',
  ];
  const paths = [
    ...pipes.map((name) => join(home, name)),
    ...['bundle.json', 'unresponsive', 'asked'].map((name) => join(cache, name)),
  ];
  for (const path of paths) {
    mkdirSync(dirname(path), { recursive: true });
    assert.equal(spawnSync('mkfifo', ['-m', '600', path]).status, 0);
  }
  // An expression that tries every blank line to the end would take minutes.
  mkdirSync(join(home, 'blank/.git'), { recursive: true });
  writeFileSync(join(home, 'blank/.git/config'), `[remote "origin"]${'\n'.repeat(1_000_000)} x`);
  const { stdout, signal } = spawnSync(process.execPath, ['--input-type=module', '-e', USE_FILES, home], {
    timeout: HUNG_MS,
    encoding: 'utf8',
  });
  assert.equal(signal, null, 'the process hangs');
  assert.deepEqual(JSON.parse(stdout), [
    null,
    {},
    {},
    null,
    false,
    true,
    `${join(home, 'managed')} cannot be read: not a regular file`,
  ]);
});
