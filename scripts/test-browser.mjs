// `npm run test:browser`: sets up, builds the console, then runs every `*.browser.ts` against the system's Chromium.
// Files named on the command line run alone. Ends with the sum: `N passed, N failed`.
import { spawnSync } from 'node:child_process';
import { ensureConsole, environment, root, setup } from './setup.mjs';
import { sources } from './sources.mjs';

process.chdir(root);
const node = setup();
ensureConsole(node);
const named = process.argv.slice(2);
const files = named.length > 0 ? named : sources('packages', ['.browser.ts']);
const done = spawnSync(node, ['scripts/run-tests.mjs', ...files], {
  env: environment(node),
  stdio: 'inherit',
});
process.exit(done.status ?? 1);
