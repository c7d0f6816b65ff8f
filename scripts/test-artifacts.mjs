// `npm run test:artifacts`: builds the release twice, and uses each artifact as a machine without the repository would.
// Files named on the command line run alone. Ends with the sum: `N passed, N failed`.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environment, root, setup } from './setup.mjs';
import { listSourceFiles } from './source-files.mjs';

/** Debian packages that the tests use, each with a command that succeeds when it is there. */
const PACKAGES = {
  buildah: 'command -v buildah',
  iproute2: 'command -v ip',
  // The system's Python has this module; another Python may come first on PATH.
  'python3-seccomp': '/usr/bin/python3 -c "import seccomp"',
  'python3-venv': 'python3 -c "import ensurepip, venv"',
  'python3-pip': 'python3 -m pip --version',
  'qemu-user-static': 'command -v qemu-aarch64-static',
  systemd: 'command -v systemd-analyze',
};

/** Installs what is missing where that is possible. A test without its program fails and names it. */
function ensurePrograms() {
  const path = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` };
  const succeeds = (command) => spawnSync('sh', ['-c', command], { stdio: 'ignore', env: path }).status === 0;
  const missing = Object.keys(PACKAGES).filter((name) => !succeeds(PACKAGES[name]));
  if (missing.length === 0 || process.getuid?.() !== 0 || !succeeds('command -v apt-get')) return;
  process.stdout.write(`floe: installing ${missing.join(', ')} (apt-get)\n`);
  const options = {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  };
  spawnSync('apt-get', ['update', '-qq'], options);
  spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...missing], options);
}

process.chdir(root);
const node = setup();
ensurePrograms();
const named = process.argv.slice(2);
const files =
  named.length > 0
    ? named
    : ['scripts/release.test.mjs', ...listSourceFiles('scripts/release/test', ['.test.mjs'])];
const home = mkdtempSync(join(tmpdir(), 'floe-releases-'));
let status = 1;
try {
  const releases = ['first', 'second'].map((name) => join(home, name));
  const isBuilt = releases.every((to) => {
    const built = spawnSync(node, ['scripts/release.mjs', '--to', to], { stdio: ['ignore', 2, 2] });
    return built.status === 0;
  });
  if (isBuilt) {
    const env = { ...environment(node), FLOE_TEST_RELEASES: releases.join(':') };
    status = spawnSync(node, ['scripts/run-tests.mjs', ...files], { env, stdio: 'inherit' }).status ?? 1;
  } else process.stdout.write('0 passed, 1 failed\n');
} finally {
  rmSync(home, { recursive: true, force: true });
}
process.exit(status);
