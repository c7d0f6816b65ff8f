// `npm run test:clients [pattern]`: real SDKs and real agents through a real Floe, over fake upstreams of every
// dialect. Installs the versions pinned in clients/ under .runtime/clients/ (npm and PyPI, nothing else), then runs
// packages/server/test/clients/run.ts, which writes the tables of docs/clients.md.
// With --hooks (`npm run test:hooks`) real agents meet the relay instead: packages/server/test/clients/run-hooks.ts.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { environment, npm, root, setup } from './setup.mjs';

const LIMIT_MS = 15 * 60_000;
/** Their packages hold a stub until this has put the platform's program in its place. */
const FINISHED_BY = {
  'node_modules/@anthropic-ai/claude-code': 'install.cjs',
  'node_modules/opencode-ai': 'postinstall.mjs',
};

const node = setup();
const env = environment(node);
const place = join(root, '.runtime', 'clients');
const isHooks = process.argv[2] === '--hooks';
const absent = {};
for (const [name, install] of Object.entries({
  agents: installAgents,
  ...(!isHooks && { sdks: installSdks, python: installPython }),
})) {
  const why = install(join(root, 'clients', name), join(place, name));
  if (why) absent[name] = why;
}
const program = join('packages', 'server', 'test', 'clients', isHooks ? 'run-hooks.ts' : 'run.ts');
const args = [program, place, JSON.stringify(absent), ...process.argv.slice(isHooks ? 3 : 2)];
process.exit(spawnSync(node, args, { cwd: root, env, stdio: 'inherit' }).status ?? 1);

function installSdks(from, to) {
  const why = installed(from, to, ['package.json', 'package-lock.json'], npmCi);
  // The drivers stand where their packages are.
  for (const file of readdirSync(from).filter((name) => name.endsWith('.mjs')))
    cpSync(join(from, file), join(to, file));
  return why;
}

function installAgents(from, to) {
  return installed(from, to, ['package.json', 'package-lock.json'], (dir) => {
    const why = npmCi(dir);
    if (why) return why;
    for (const [folder, script] of Object.entries(FINISHED_BY)) run(node, [script], join(dir, folder));
    return '';
  });
}

function installPython(from, to) {
  return installed(from, to, ['requirements.txt'], (dir) => {
    const made = run('python3', ['-m', 'venv', dir], root);
    if (made) return `no virtual environment: ${made}`;
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', 'requirements.txt'];
    return run(join(dir, 'bin', 'python'), pip, dir);
  });
}

/** Why it is not installed; empty when it is, from now or from before. */
function installed(from, to, files, install) {
  const wanted = createHash('sha256');
  for (const file of files) wanted.update(readFileSync(join(from, file)));
  const stamp = join(to, '.stamp');
  const digest = wanted.digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return '';
  process.stderr.write(`floe: installing clients/${from.split(/[\\/]/).at(-1)} (once)\n`);
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to, { recursive: true });
  for (const file of files) cpSync(join(from, file), join(to, file));
  const why = install(to);
  if (!why) writeFileSync(stamp, digest);
  return why;
}

function npmCi(dir) {
  const done = npm(node, ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], dir);
  return done === 0 ? '' : 'npm could not install it (its message is above)';
}

function run(command, args, cwd) {
  const done = spawnSync(command, args, { cwd, env, encoding: 'utf8', timeout: LIMIT_MS });
  if (done.status === 0) return '';
  const said = `${done.error?.message ?? ''}${done.stderr ?? ''}`.trim();
  return said.split('\n').at(-1) || `${command} ended with ${done.status ?? done.signal}`;
}
