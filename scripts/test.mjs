// `npm test`: sets up, then runs the test files of the first tier; `--ci` and `--release` run the others (CONTRIBUTING.md).
// Files named on the command line run alone. Ends with one line that adds everything up: `N passed, N failed`.
import { spawnSync } from 'node:child_process';
import { environment, root, setup } from './setup.mjs';

const node = setup();
const done = spawnSync(node, ['scripts/run-tests.mjs', ...process.argv.slice(2)], {
  cwd: root,
  env: environment(node),
  stdio: 'inherit',
});
process.exit(done.status ?? 1);
