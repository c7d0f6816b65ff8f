// Tier: artifacts. Needs the built release.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { CACHE } from '../cache.mjs';
import { artifact, emptyDirectory, run, VERSION } from './artifacts.mjs';

const PROGRAM = `
import floe, pathlib
print(floe.__version__, (pathlib.Path(floe.__file__).parent / "py.typed").exists(), floe.__file__)
floe.Floe("key", base_url="http://127.0.0.1:9").heartbeat
`;

for (const [what, name] of [
  ['wheel', `floe_sdk-${VERSION}-py3-none-any.whl`],
  ['sdist', `floe_sdk-${VERSION}.tar.gz`],
])
  test(`the ${what} installs into a new virtual environment without an index`, (t) => {
    const home = emptyDirectory(t);
    const env = { PATH: process.env.PATH, HOME: home };
    run('python3', ['-m', 'venv', join(home, 'venv')], { env });
    const python = join(home, 'venv/bin/python');
    // An sdist is built when it is installed; the build tool is the one of the release.
    const build = what === 'sdist' ? { PYTHONPATH: join(CACHE, 'flit-core-3.12.0') } : {};
    const options = ['--no-index', '--no-build-isolation', '--disable-pip-version-check', '--quiet'];
    run(python, ['-m', 'pip', 'install', ...options, artifact(name)], { env: { ...env, ...build } });
    const [version, isTyped, file] = run(python, ['-c', PROGRAM], { cwd: home }).trim().split(' ');
    assert.deepEqual([version, isTyped], [VERSION, 'True']);
    assert.ok(file.startsWith(home), file);
  });
