// Builds the TypeScript SDK as it is published: JavaScript for ESM and CommonJS with their types, and a manifest
// of its own. `node scripts/build-sdk.mjs [folder]`, packages/sdk/dist unless given; then `npm publish <folder>`.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from './setup.mjs';

const packageDir = join(root, 'packages/sdk');
const TSC = join(root, 'node_modules/typescript/bin/tsc');
const FORMATS = {
  esm: { module: 'esnext', type: 'module' },
  cjs: { module: 'commonjs', type: 'commonjs' },
};

/** Writes the publishable package into `to`. Throws with the compiler's words when it does not compile. */
export function buildSdk(to) {
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to, { recursive: true });
  for (const [format, { module, type }] of Object.entries(FORMATS)) {
    const out = join(to, format);
    const args = ['-p', join(packageDir, 'tsconfig.build.json'), '--module', module, '--outDir', out];
    const run = spawnSync(process.execPath, [TSC, ...args], { encoding: 'utf8' });
    if (run.status !== 0) throw new Error(`the SDK does not compile:\n${run.stdout}${run.stderr}`);
    // The compiler rewrites the endings of imports in the programs, not in the declarations.
    for (const file of readdirSync(out).filter((name) => name.endsWith('.d.ts'))) {
      const path = join(out, file);
      writeFileSync(path, readFileSync(path, 'utf8').replace(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'"));
    }
    writeFileSync(join(out, 'package.json'), `${JSON.stringify({ type })}\n`);
  }
  writeFileSync(join(to, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
  cpSync(join(packageDir, 'README.md'), join(to, 'README.md'));
  cpSync(join(root, 'LICENSE'), join(to, 'LICENSE'));
}

function manifest() {
  const { name, version, license } = JSON.parse(readFileSync(join(packageDir, 'package.json'), 'utf8'));
  const entry = (format) => ({ types: `./${format}/index.d.ts`, default: `./${format}/index.js` });
  return {
    name,
    version,
    license,
    description:
      'Sends heartbeats to Floe monitors: single beats, beats in a loop, and beats of monitored jobs.',
    keywords: ['heartbeat', 'monitoring', 'cron', 'dead-man-switch'],
    type: 'module',
    engines: { node: '>=18' },
    sideEffects: false,
    main: './cjs/index.js',
    module: './esm/index.js',
    types: './esm/index.d.ts',
    exports: {
      '.': { import: entry('esm'), require: entry('cjs') },
      './package.json': './package.json',
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const to = process.argv[2] ?? join(packageDir, 'dist');
  buildSdk(to);
  process.stdout.write(`${to}\n`);
}
