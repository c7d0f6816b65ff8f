// The offline bundle: Node.js, Floe, the systemd unit and an install script in one archive.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../setup.mjs';
import { below, compressTar, fileEntry } from './tar.mjs';

const PARTS = join(import.meta.dirname, 'bundle');
const UNIT = join(root, 'deploy/systemd');

/**
 * A bundle for one platform, gzip.
 *
 * @param {string} platform such as `linux-x64`
 * @param {{ floe: import('./tar.mjs').Entry[], node: { program: Buffer, license: Buffer } }} parts `floe` is the npm package
 * @param {{ version: string, time: number }} release
 */
export async function buildBundle(platform, { floe, node }, { version, time }) {
  const entries = [
    ...below('app', floe),
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
  return await compressTar(below(`floe-${version}-${platform}`, entries), time);
}
