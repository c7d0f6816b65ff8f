// `npm run test:clients [pattern]`: real SDKs and real agents through a real Floe, over fake upstreams of every
// dialect. Installs the versions pinned in clients/ under .runtime/clients/ (npm and PyPI, nothing else), then runs
// packages/server/test/clients/run.ts, which writes the tables of docs/reference/clients.md.
// With --hooks (`npm run test:hooks`) real agents meet the relay instead: packages/server/test/clients/run-hooks.ts.
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { CLIENTS_DIR, ensureInstalled, ensurePython, runProcess } from './installed-clients.mjs';
import { environment, npm, root, setup } from './setup.mjs';

const LIMIT_MS = 15 * 60_000;
/** Their packages hold a stub until this has put the platform's program in its place. */
const FINISHED_BY = {
  'node_modules/@anthropic-ai/claude-code': 'install.cjs',
  'node_modules/opencode-ai': 'postinstall.mjs',
};

const node = setup();
const env = environment(node);
const isHooks = process.argv[2] === '--hooks';
const absent = {};
for (const [name, install] of Object.entries({
  agents: installAgents,
  ...(!isHooks && { sdks: installSdks, python: () => ensurePython(env, LIMIT_MS) }),
})) {
  const why = install();
  if (why) absent[name] = why;
}
const program = join('packages', 'server', 'test', 'clients', isHooks ? 'run-hooks.ts' : 'run.ts');
const args = [program, CLIENTS_DIR, JSON.stringify(absent), ...process.argv.slice(isHooks ? 3 : 2)];
process.exit(spawnSync(node, args, { cwd: root, env, stdio: 'inherit' }).status ?? 1);

function installSdks() {
  const why = ensureInstalled('sdks', ['package.json', 'package-lock.json'], npmCi);
  // The drivers stand where their packages are.
  const [from, to] = [join(root, 'clients', 'sdks'), join(CLIENTS_DIR, 'sdks')];
  for (const file of readdirSync(from).filter((name) => name.endsWith('.mjs')))
    cpSync(join(from, file), join(to, file));
  return why;
}

function installAgents() {
  return ensureInstalled('agents', ['package.json', 'package-lock.json'], (dir) => {
    const why = npmCi(dir);
    if (why) return why;
    for (const [folder, script] of Object.entries(FINISHED_BY))
      runProcess(node, [script], { cwd: join(dir, folder), env, timeout: LIMIT_MS });
    return '';
  });
}

function npmCi(dir) {
  const done = npm(node, ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], dir);
  return done === 0 ? '' : 'npm could not install it (its message is above)';
}
