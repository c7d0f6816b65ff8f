// Tier: ci. Generates typed clients from the OpenAPI document of a running Floe and uses them.
// openapi-typescript and openapi-python-client, in the versions that clients/generators pins, must generate every operation.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startFloeProcess } from '../packages/testkit/src/floe-process.ts';
import { CLIENTS_DIR, ensureInstalled, runProcess } from './installed-clients.mjs';
import { npm, root } from './setup.mjs';

const LIMIT_MS = 5 * 60_000;
const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head'];
const tools = join(CLIENTS_DIR, 'generators');
const work = mkdtempSync(join(tmpdir(), 'floe-openapi-'));
let floe;
let document;
let key;

before(async () => {
  const why = ensureInstalled(
    'generators',
    ['package.json', 'package-lock.json', 'requirements.txt'],
    install,
  );
  assert.equal(why, '', `clients/generators could not be installed: ${why}`);
  floe = await startFloeProcess();
  key = await floe.waitForKey();
  document = await (await fetch(`${floe.url}/api/openapi.json`)).json();
  writeFileSync(join(work, 'openapi.json'), JSON.stringify(document));
});

after(async () => {
  await floe?.stop();
  rmSync(work, { recursive: true, force: true });
});

test('openapi-typescript generates types of every operation, and a program with them works', () => {
  const types = join(work, 'floe.ts');
  run(join(tools, 'node_modules/.bin/openapi-typescript'), ['openapi.json', '-o', types], work);
  cpSync(join(root, 'clients/generators/use-types.ts'), join(work, 'use-types.ts'));
  symlinkSync(join(tools, 'node_modules'), join(work, 'node_modules'));
  const options = { strict: true, noEmit: true, target: 'es2022', module: 'esnext', types: [] };
  const compilerOptions = {
    ...options,
    lib: ['es2022', 'dom'],
    moduleResolution: 'bundler',
    allowImportingTsExtensions: true,
  };
  const counted = operationIds().map((id) => `"${id}"`);
  // Every operation has a type of its own: an unknown name would not compile.
  const names = `import type { operations } from './floe.ts';\nexport const names: (keyof operations)[] = [${counted}];\n`;
  writeFileSync(join(work, 'names.ts'), names);
  writeFileSync(
    join(work, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['use-types.ts', 'names.ts'] }),
  );
  run(join(tools, 'node_modules/.bin/tsc'), ['-p', '.'], work);
  writeFileSync(join(work, 'package.json'), '{"type":"module"}');
  const printed = run(process.execPath, ['use-types.ts', floe.url, key], work);
  assert.equal(printed.trim(), 'nightly waiting');
});

test('openapi-python-client generates every operation without a warning but for YAML, and works', (t) => {
  const python = join(tools, 'venv/bin');
  const log = run(
    join(python, 'openapi-python-client'),
    ['generate', '--path', 'openapi.json', '--output-path', 'client'],
    work,
  );
  assert.doesNotMatch(log, /will not be generated|Unable to process|duplicate/);
  const api = join(work, 'client/floe_client/api');
  const files = readdirSync(api, { recursive: true }).filter((file) => /\/(?!__init__)\w+\.py$/.test(file));
  assert.equal(files.length, operationIds().length);
  t.diagnostic(`${files.length} operations`);
  cpSync(join(root, 'clients/generators/use_client.py'), join(work, 'client/use_client.py'));
  const printed = run(join(python, 'python'), ['use_client.py', floe.url, key], join(work, 'client'));
  assert.equal(printed.trim(), 'hourly waiting');
});

function operationIds() {
  return Object.values(document.paths).flatMap((path) =>
    METHODS.flatMap((method) => (path[method] ? [path[method].operationId] : [])),
  );
}

/** Standard output of a program that ends well. */
function run(command, args, cwd) {
  const done = spawnSync(command, args, { cwd, encoding: 'utf8', timeout: LIMIT_MS });
  assert.equal(done.status, 0, `${command}: ${done.error ?? ''}${done.stdout}${done.stderr}`);
  return done.stdout;
}

function install(directory) {
  const status = npm(process.execPath, ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], directory);
  if (status !== 0) return 'npm could not install it (its message is above)';
  const options = { cwd: directory, timeout: LIMIT_MS };
  execFileSync('python3', ['-m', 'venv', 'venv'], options);
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', 'requirements.txt'];
  return runProcess(join(directory, 'venv/bin/python'), pip, options);
}
