// `npm run test:deploy`: sets up, installs the programs that check deploy/, then runs its tests.
// Ends with the sum: `N passed, N failed`.
import { spawnSync } from 'node:child_process';
import { ensurePrograms } from './deploy/programs.mjs';
import { environment, root, setup } from './setup.mjs';

const node = setup();
ensurePrograms();
const files = [
  'scripts/deploy.test.mjs',
  'scripts/deploy/compose.test.mjs',
  'scripts/deploy/observed.test.mjs',
  'scripts/deploy/valkey.test.mjs',
];
const done = spawnSync(node, ['scripts/run-tests.mjs', ...files], {
  cwd: root,
  env: environment(node),
  stdio: 'inherit',
});
process.exit(done.status ?? 1);
