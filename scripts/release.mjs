// `npm run release`: builds everything that a release publishes into dist/release/, or into `--to <directory>`. Two builds
// of one commit have the same bytes: they run on the pinned Node.js, and every time is that of the commit.
import { spawnSync } from 'node:child_process';
import { environment, RUNTIME, root, setup } from './setup.mjs';

// The compression of another version may write other bytes.
if (process.version !== `v${RUNTIME}`) process.env.FLOE_RUNTIME_FORCE = '1';
const node = setup();
const done = spawnSync(node, ['scripts/release/build.mjs', ...process.argv.slice(2)], {
  cwd: root,
  env: environment(node),
  stdio: 'inherit',
});
process.exit(done.status ?? 1);
