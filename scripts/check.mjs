// `npm run check`: every rule that is a script, in seconds, without a database. Stops at nothing:
// all rules run, all failures show.
import { spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { environment, root, setup } from './setup.mjs';

const node = setup();
const env = environment(node);
env.PATH = join(root, 'node_modules', '.bin') + delimiter + env.PATH;
const rules = [
  ['format and lint', 'biome', ['check', '--error-on-warnings', '.']],
  ['types', 'tsc', ['-p', 'tsconfig.json']],
  ['types of the console', 'tsc', ['-p', 'packages/console/tsconfig.json']],
  ['layers', node, ['scripts/check-layers.mjs']],
  ['budgets', node, ['scripts/check-budgets.mjs']],
  ['documents', node, ['scripts/check-docs.mjs']],
  ['language', node, ['scripts/check-language.mjs']],
  ['claims', node, ['scripts/check-claims.mjs']],
  ['generated files', node, ['scripts/generate.mjs', '--check']],
];
let failed = 0;
for (const [name, command, args] of rules) {
  const started = Date.now();
  const run = spawnSync(command, args, { cwd: root, env, encoding: 'utf8', maxBuffer: 64 << 20 });
  const ok = run.status === 0;
  if (!ok) failed += 1;
  process.stdout.write(`${ok ? 'ok  ' : 'FAIL'} ${name} (${Date.now() - started} ms)\n`);
  if (!ok) process.stdout.write(`${run.stdout}${run.stderr}${run.error ?? ''}\n`);
}
process.exit(failed === 0 ? 0 : 1);
