// Runs one of the tools in node_modules on the project's Node: `node scripts/run.mjs biome check .`
import { spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { environment, root, setup } from './setup.mjs';

const env = environment(setup());
env.PATH = join(root, 'node_modules', '.bin') + delimiter + env.PATH;
const [tool, ...args] = process.argv.slice(2);
process.exit(spawnSync(tool, args, { cwd: root, env, stdio: 'inherit' }).status ?? 1);
