// The Python SDK's own tests (unittest, standard library only) as part of `npm test`. With FLOE_TEST_FULL on every
// Python here that it is for, and the wheel and sdist that are published.
// Tier: ci. Runs the tests of the Python SDK.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from './setup.mjs';

const project = join(root, 'sdk-python');
const full = process.env.FLOE_TEST_FULL !== undefined;
const OTHERS = ['python3.9', 'python3.10', 'python3.11', 'python3.12', 'python3.13', 'python3.14'];

test('the Python SDK passes its own tests', (t) => {
  const version = versionOf('python3');
  assert.ok(
    version && isEnough(version),
    `python3 on PATH is ${version ?? 'missing'}; the Python SDK needs 3.9 or later to be tested. Install Python 3 and run this again.`,
  );
  const tried = new Map([['python3', version]]);
  for (const name of full ? OTHERS : []) {
    const other = versionOf(name);
    if (other && ![...tried.values()].includes(other)) tried.set(name, other);
  }
  for (const [python, spoken] of tried) t.diagnostic(`Python ${spoken}: ${unittest(python)} tests`);
});

test('wheel and sdist build, and the wheel installs with its types', {
  skip: full ? false : 'only with FLOE_TEST_FULL: fetches the build tool',
}, (t) => {
  const home = mkdtempSync(join(tmpdir(), 'floe-python-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const tools = join(root, '.runtime', 'python-build');
  run(
    'python3',
    ['-m', 'pip', 'install', '--quiet', '--upgrade', '--target', tools, 'flit_core==3.12.0'],
    {},
  );
  const build = `import sys; from flit_core import buildapi; print(buildapi.build_wheel(sys.argv[1])); print(buildapi.build_sdist(sys.argv[1]))`;
  run('python3', ['-c', build, home], { PYTHONPATH: tools });
  const built = readdirSync(home).sort();
  assert.deepEqual(built, ['floe_sdk-0.1.0-py3-none-any.whl', 'floe_sdk-0.1.0.tar.gz']);
  const target = join(home, 'installed');
  run(
    'python3',
    ['-m', 'pip', 'install', '--quiet', '--no-index', '--target', target, join(home, built[0])],
    {},
  );
  const said = run(
    'python3',
    [
      '-c',
      'import floe, pathlib; print(floe.__version__, (pathlib.Path(floe.__file__).parent / "py.typed").exists())',
    ],
    { PYTHONPATH: target },
  );
  assert.equal(said.trim(), '0.1.0 True');
});

/** How many tests ran. */
function unittest(python) {
  const done = spawnSync(python, ['-W', 'error', '-m', 'unittest', 'discover', '-s', 'tests', '-t', '.'], {
    cwd: project,
    env: { ...process.env, PYTHONPATH: join(project, 'src'), PYTHONDONTWRITEBYTECODE: '1' },
    encoding: 'utf8',
    timeout: 180_000,
  });
  assert.equal(done.status, 0, `${python} -m unittest failed:\n${done.stderr}${done.error ?? ''}`);
  const count = Number(/^Ran (\d+) tests/m.exec(done.stderr)?.[1]);
  assert.ok(count > 0, `${python} found no tests`);
  return count;
}

function run(program, args, env) {
  const done = spawnSync(program, args, { cwd: project, env: { ...process.env, ...env }, encoding: 'utf8' });
  assert.equal(done.status, 0, `${program} ${args.join(' ')}:\n${done.stdout}${done.stderr}`);
  return done.stdout;
}

function versionOf(python) {
  const asked = spawnSync(python, ['-c', 'import platform; print(platform.python_version())'], {
    encoding: 'utf8',
  });
  return asked.status === 0 ? asked.stdout.trim() : undefined;
}

function isEnough(version) {
  const [major, minor] = version.split('.').map(Number);
  return major === 3 && minor >= 9;
}
