// The packages of the SDKs: @floe/sdk for npm, wheel and sdist for Python.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSdk } from '../build-sdk.mjs';
import { root } from '../setup.mjs';
import { CACHE } from './cache.mjs';
import { below, compressTar, listEntries } from './tar.mjs';

/** The build tool of sdk-python, and what it builds with. */
const FLIT = {
  version: '3.12.0',
  sha256: 'e7a0304069ea895172e3c7bb703292e992c5d1555dd1233ab7b5621b5b69e62c',
};
const BUILD = `
import sys
from flit_core import buildapi
print(buildapi.build_wheel(sys.argv[1]))
print(buildapi.build_sdist(sys.argv[1]))
`;

/** The npm package of the TypeScript SDK, gzip. */
export async function buildTypeScriptSdk(work, time) {
  buildSdk(work);
  const entries = listEntries(work).map((entry) => ({ ...entry, mode: 0o644 }));
  return await compressTar(below('package', entries), time);
}

/**
 * Writes wheel and sdist of the Python SDK into the directory `to`.
 *
 * @returns {string[]} names of the two files
 * @throws Error when Python or the build tool is missing, or the build fails
 */
export function buildPythonSdk(to, time) {
  // The times of all entries; https://reproducible-builds.org/specs/source-date-epoch/
  const env = { PYTHONPATH: installFlit(), SOURCE_DATE_EPOCH: String(time), PYTHONDONTWRITEBYTECODE: '1' };
  const built = python(['-c', BUILD, to], env);
  return built.trim().split('\n');
}

/** Directory of the build tool; installed once. */
function installFlit() {
  const dir = join(CACHE, `flit-core-${FLIT.version}`);
  if (existsSync(join(dir, 'flit_core'))) return dir;
  mkdirSync(CACHE, { recursive: true });
  const requirements = join(CACHE, 'flit-requirements.txt');
  writeFileSync(requirements, `flit_core==${FLIT.version} --hash=sha256:${FLIT.sha256}\n`);
  const quiet = ['--quiet', '--disable-pip-version-check', '--root-user-action=ignore'];
  const options = [...quiet, '--only-binary=:all:', '--require-hashes', '--target', dir];
  python(['-m', 'pip', 'install', ...options, '-r', requirements], {});
  return dir;
}

function python(args, env) {
  const done = spawnSync('python3', args, {
    cwd: join(root, 'sdk-python'),
    env: { ...process.env, ...env },
    encoding: 'utf8',
  });
  if (done.status !== 0)
    throw new Error(`python3 ${args.slice(0, 3).join(' ')} failed:\n${done.stderr ?? done.error}`);
  return done.stdout;
}
