// `npm run test:browser`: sets up, builds the console, then runs every `*.browser.ts` against the system's Chromium,
// some behind its nginx.
// Files named on the command line run alone. Ends with the sum: `N passed, N failed`.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { ensureConsole, environment, root, setup } from './setup.mjs';
import { listSourceFiles } from './source-files.mjs';

/** It takes some seconds where there is a network; nobody waits longer than this for one that is not there. */
const PYTHON_MS = 60_000;

/** What the tests drive, for a machine that has none, where its packages can be had; they say loudly what is missing still. */
function ensurePrograms() {
  const has = (program) => spawnSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' }).status === 0;
  const wanted = [
    [
      'chromium',
      process.env.FLOE_CHROMIUM || has('chromium') || has('chromium-browser') || has('google-chrome'),
    ],
    ['nginx-light', process.env.FLOE_NGINX || has('nginx') || has('/usr/sbin/nginx')],
  ];
  const missing = wanted.filter(([, isThere]) => !isThere).map(([name]) => name);
  if (missing.length === 0 || !has('apt-get') || process.getuid?.() !== 0) return;
  process.stdout.write(`floe: installing ${missing.join(' and ')} (apt-get)\n`);
  const options = {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  };
  spawnSync('apt-get', ['update', '-qq'], options);
  spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...missing], options);
}

process.chdir(root);
const node = setup();
const named = process.argv.slice(2);
const files = named.length > 0 ? named : listSourceFiles('packages', ['.browser.ts']);
// The playground's copied code is run as it stands.
const python = files.some((file) => file.endsWith('playground.browser.ts'))
  ? spawn(process.execPath, ['scripts/installed-clients.mjs', String(PYTHON_MS)], { stdio: 'inherit' })
  : null;
ensurePrograms();
ensureConsole(node);
if (python) await once(python, 'exit');
const done = spawnSync(node, ['scripts/run-tests.mjs', ...files], {
  env: environment(node),
  stdio: 'inherit',
});
process.exit(done.status ?? 1);
