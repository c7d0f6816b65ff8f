// Runs a command of bench/ with the project's Node, for tests.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './setup.mjs';

/** Why the bench cannot run here; false where it can. */
export const skipOutsideLinux =
  process.platform === 'linux' ? false : 'the bench reads /proc, which only Linux has';

/** Runs `bench/<name>` to its end, with further variables of the environment. */
export function runBench(name, args, env = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'bench', name), ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    encoding: 'utf8',
    timeout: 200_000,
  });
  return { status, stdout, stderr };
}
