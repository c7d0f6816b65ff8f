// `npm run check`: every rule that is a script, in seconds, without a database. Stops at nothing:
// all rules run, as many at once as there are cores, and all failures show.
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
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
const waiting = [...rules];
await Promise.all(Array.from({ length: availableParallelism() }, runWaitingRules));
process.exit(failed === 0 ? 0 : 1);

async function runWaitingRules() {
  for (let rule = waiting.shift(); rule; rule = waiting.shift()) {
    const [name, command, args] = rule;
    const started = Date.now();
    const { output, ok } = await runCommand(command, args);
    if (!ok) failed += 1;
    process.stdout.write(`${ok ? 'ok  ' : 'FAIL'} ${name} (${Date.now() - started} ms)\n${ok ? '' : output}`);
  }
}

function runCommand(command, args) {
  return new Promise((resolve) => {
    const chunks = [];
    const end = (ok) => resolve({ output: `${Buffer.concat(chunks)}\n`, ok });
    const run = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [run.stdout, run.stderr]) stream.on('data', (chunk) => chunks.push(chunk));
    run.on('error', (error) => {
      chunks.push(Buffer.from(String(error)));
      end(false);
    });
    run.on('close', (code) => end(code === 0));
  });
}
