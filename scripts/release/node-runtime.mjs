// Node.js for the container image and the offline bundle: npm's packages of the official builds, pinned in setup.mjs.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { npm, RUNTIME, RUNTIME_INTEGRITY, RUNTIME_PACKAGES } from '../setup.mjs';
import { cachedFile } from './cache.mjs';

/** Release platforms with the names that npm, OCI and Debian have for them. */
export const PLATFORMS = [
  { name: 'linux-x64', architecture: 'amd64', libraries: 'x86_64-linux-gnu' },
  { name: 'linux-arm64', architecture: 'arm64', libraries: 'aarch64-linux-gnu' },
];

/**
 * The program and the license of Node.js for a platform.
 *
 * @param {string} platform such as `linux-x64`
 * @returns {{ program: Buffer, license: Buffer }}
 * @throws Error when npm cannot download the package, or it has another hash
 */
export function loadNodeRuntime(platform) {
  const name = RUNTIME_PACKAGES[platform];
  const hash = Buffer.from(RUNTIME_INTEGRITY[name].replace('sha512-', ''), 'base64').toString('hex');
  const archive = cachedFile({ name, algorithm: 'sha512', hash }, (dir) => {
    const args = ['pack', `${name}@${RUNTIME}`, '--pack-destination', dir, '--loglevel', 'error'];
    if (npm(process.execPath, args, dir) !== 0) throw new Error(`npm could not download ${name}@${RUNTIME}`);
    return join(dir, `${name}-${RUNTIME}.tgz`);
  });
  const dir = mkdtempSync(join(tmpdir(), 'floe-node-'));
  try {
    const args = ['-xzf', archive, '-C', dir, 'package/bin/node', 'package/LICENSE'];
    const done = spawnSync('tar', args, { encoding: 'utf8' });
    if (done.status !== 0) throw new Error(`tar: ${done.stderr}`);
    return {
      program: readFileSync(join(dir, 'package/bin/node')),
      license: readFileSync(join(dir, 'package/LICENSE')),
    };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
