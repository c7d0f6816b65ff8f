// The installation script of the bundle, with programs that do nothing.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from './setup.mjs';

const skip = process.platform === 'win32' && 'the bundles are for Linux';

/** A directory with an unpacked bundle, of which only the owner may read anything. */
function unpack(t) {
  const home = mkdtempSync(join(tmpdir(), 'floe-install-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const bundle = join(home, 'bundle');
  mkdirSync(join(bundle, 'bin'), { recursive: true, mode: 0o700 });
  writeFileSync(join(bundle, 'VERSION'), '1.2.3\n', { mode: 0o600 });
  for (const name of ['node', 'floe', 'floe-hook'])
    writeFileSync(join(bundle, 'bin', name), '#!/bin/sh\necho ran\n', { mode: 0o700 });
  cpSync(join(root, 'scripts/release/bundle/install.sh'), join(bundle, 'install.sh'));
  return home;
}

const install = (home, umask) =>
  spawnSync('sh', ['-c', `umask ${umask} && sh bundle/install.sh --prefix here/opt --bin here/bin`], {
    cwd: home,
    encoding: 'utf8',
  });

for (const umask of ['022', '077'])
  test(`with umask ${umask}, every user can run what install.sh installed`, { skip }, (t) => {
    const home = unpack(t);
    const { status, stderr } = install(home, umask);
    assert.equal(status, 0, stderr);
    const modes = ['bin', 'opt', 'opt/1.2.3', 'opt/1.2.3/bin', 'opt/1.2.3/bin/floe'].map(
      (path) => statSync(join(home, 'here', path)).mode & 0o055,
    );
    assert.deepEqual(modes, Array(5).fill(0o055));
    assert.equal(statSync(join(home, 'here/opt/1.2.3/VERSION')).mode & 0o044, 0o044);
  });

test('relative directories get links that work from everywhere', { skip }, (t) => {
  const home = unpack(t);
  install(home, '022');
  const { stdout } = spawnSync(join(home, 'here/bin/floe'), [], { cwd: '/', encoding: 'utf8' });
  assert.equal(stdout, 'ran\n');
  assert.equal(readFileSync(join(home, 'here/opt/current/VERSION'), 'utf8'), '1.2.3\n');
});
