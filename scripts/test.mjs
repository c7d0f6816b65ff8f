// `npm test`: sets up, then runs every test file; `--full` adds the long runs. Files named on the
// command line run alone. Ends with one line that adds everything up: `N passed, N failed`.
import { spawnSync } from 'node:child_process';
import { environment, root, setup } from './setup.mjs';

const node = setup();
const done = spawnSync(node, ['scripts/run-tests.mjs', ...process.argv.slice(2)], {
  cwd: root,
  env: environment(node),
  stdio: 'inherit',
});
process.exit(done.status ?? 1);
