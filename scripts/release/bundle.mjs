// The offline bundle: Node.js, Floe, the systemd unit and an install script in one archive.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../setup.mjs';
import { extractDebianPackages } from './debian.mjs';
import { below, compressTar, fileEntry } from './tar.mjs';

const PARTS = join(import.meta.dirname, 'bundle');
const UNIT = join(root, 'deploy/systemd');

/**
 * A bundle for one platform, gzip.
 *
 * @param {{ name: string, architecture: string, libraries: string }} platform
 * @param {{ floe: import('./tar.mjs').Entry[], node: { program: Buffer, license: Buffer } }} parts `floe` is the npm package
 * @param {{ version: string, time: number }} release
 */
export async function buildBundle(platform, { floe, node }, { version, time }) {
  const entries = [
    ...below('app', floe),
    ...below('lib', loadAtomicLibrary(platform)),
    fileEntry('VERSION', `${version}\n`),
    fileEntry('LICENSE', readFileSync(join(root, 'LICENSE'))),
    fileEntry('LICENSE-NODE', node.license),
    fileEntry('install.sh', readFileSync(join(PARTS, 'install.sh')), 0o755),
    fileEntry('bin/node', node.program, 0o755),
    fileEntry('bin/floe', readFileSync(join(PARTS, 'floe.sh')), 0o755),
    fileEntry('bin/floe-hook', readFileSync(join(PARTS, 'floe.sh')), 0o755),
    fileEntry('systemd/floe.service', readFileSync(join(UNIT, 'floe.service'))),
    fileEntry('systemd/floe.env.example', readFileSync(join(UNIT, 'floe.env.example'))),
  ];
  return await compressTar(below(`floe-${version}-${platform.name}`, entries), time);
}

/** Node.js needs libatomic, which many distributions do not install. This one needs glibc 2.17, Node.js needs 2.28. */
function loadAtomicLibrary({ architecture, libraries }) {
  const dir = mkdtempSync(join(tmpdir(), 'floe-debian-'));
  try {
    extractDebianPackages(architecture, dir, ['gcc-14-base', 'libatomic1']);
    return [
      fileEntry('libatomic.so.1', readFileSync(join(dir, 'usr/lib', libraries, 'libatomic.so.1'))),
      fileEntry('LICENSE-LIBATOMIC', readFileSync(join(dir, 'usr/share/doc/gcc-14-base/copyright'))),
    ];
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
