// `npm run test:browser`: sets up, builds the console, then runs every `*.browser.ts` against the system's Chromium.
// Files named on the command line run alone. Ends with the sum: `N passed, N failed`.
import { spawnSync } from 'node:child_process';
import { ensureConsole, environment, root, setup } from './setup.mjs';
import { sources } from './sources.mjs';

/** Chromium for a machine that has none, where its packages can be had; the tests say loudly when it is missing still. */
function ensureChromium() {
  const has = (program) => spawnSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' }).status === 0;
  if (process.env.FLOE_CHROMIUM || has('chromium') || has('chromium-browser') || has('google-chrome')) return;
  if (!has('apt-get') || process.getuid?.() !== 0) return;
  process.stdout.write('floe: installing chromium (apt-get)\n');
  const options = {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  };
  spawnSync('apt-get', ['update', '-qq'], options);
  spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'], options);
}

process.chdir(root);
const node = setup();
ensureChromium();
ensureConsole(node);
const named = process.argv.slice(2);
const files = named.length > 0 ? named : sources('packages', ['.browser.ts']);
const done = spawnSync(node, ['scripts/run-tests.mjs', ...files], {
  env: environment(node),
  stdio: 'inherit',
});
process.exit(done.status ?? 1);
