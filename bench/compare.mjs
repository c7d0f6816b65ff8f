#!/usr/bin/env node
// Launcher, plain JavaScript for any Node: the bench itself is TypeScript and needs the project's Node.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { environment, setup } from '../scripts/setup.mjs';

const node = setup();
const main = fileURLToPath(new URL('src/compare/main.ts', import.meta.url));
const bench = spawn(node, [main, ...process.argv.slice(2)], { env: environment(node), stdio: 'inherit' });
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => bench.kill(signal));
bench.on('exit', (code) => process.exit(code ?? 1));
