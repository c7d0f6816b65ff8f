// Tier: ci. It bundles the command line.
// Both launchers of the hook: that of this repository, and that of the npm package, which the bundle and the image
// contain.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { buildCommandLine } from './release/npm-package.mjs';
import { root } from './setup.mjs';

/** Far above what a busy machine needs; only a process that never ends gets there. */
const HUNG_MS = 60_000;
const PACKAGE = mkdtempSync(join(tmpdir(), 'floe-package-'));

suite('the launcher of the hook', () => {
  before(() => buildCommandLine(PACKAGE, '0.0.0'));
  after(() => rmSync(PACKAGE, { recursive: true, force: true }));

  for (const [where, launcher] of [
    ['the repository', join(root, 'packages/cli/bin/floe-hook.mjs')],
    ['the npm package', join(PACKAGE, 'bin/floe-hook.mjs')],
  ]) {
    const run = (home, cwd, env = {}) =>
      spawnSync(process.execPath, [launcher, 'claude-code'], {
        env: { HOME: home, ...env },
        cwd,
        input: '{}',
        timeout: HUNG_MS,
        encoding: 'utf8',
      });

    test(`in ${where}: a named pipe in the compile cache does not block it`, {
      skip: process.platform === 'win32' && 'Windows has no named pipes in directories',
    }, (t) => {
      const home = emptyDirectory(t);
      const first = run(home, home);
      const cache = join(home, '.cache/floe/relay/compiled');
      const entries = readdirSync(cache, { recursive: true, withFileTypes: true });
      const files = entries
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name));
      assert.ok(files.length > 0, 'the cache is used');
      for (const path of files) {
        rmSync(path);
        assert.equal(spawnSync('mkfifo', ['-m', '600', path]).status, 0);
      }
      const second = run(home, home);
      assert.equal(second.signal, null, 'the process hangs');
      assert.deepEqual([second.status, second.stdout], [first.status, first.stdout]);
    });

    test(`in ${where}: a relative home directory puts no code into the project`, {
      skip: process.platform === 'win32' && 'Windows does not read HOME',
    }, (t) => {
      const project = emptyDirectory(t);
      mkdirSync(join(project, 'home'));
      assert.equal(run('home', project).signal, null);
      assert.equal(existsSync(join(project, 'home/.cache')), false);
    });

    test(`in ${where}: a relative cache directory puts no code into the project`, (t) => {
      const [home, project] = [emptyDirectory(t), emptyDirectory(t)];
      assert.equal(run(home, project, { XDG_CACHE_HOME: '.cache' }).signal, null);
      assert.deepEqual(readdirSync(project), []);
      assert.ok(existsSync(join(home, '.cache/floe/relay/compiled')), 'the default directory is used');
    });
  }
});

function emptyDirectory(t) {
  const path = mkdtempSync(join(tmpdir(), 'floe-hook-launcher-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
