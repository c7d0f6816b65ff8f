#!/usr/bin/env node
// Launcher, plain JavaScript for any Node: the command itself is TypeScript and needs the project's Node.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { environment, isSupported, root, setup } from '../../../scripts/setup.mjs';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
if (isSupported(process.version)) {
  // A fresh clone has no dependencies yet.
  if (!existsSync(join(root, 'node_modules'))) setup();
  await import(main);
} else {
  const node = setup();
  const child = spawn(node, [main, ...process.argv.slice(2)], {
    env: environment(node),
    stdio: 'inherit',
  });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'])
    process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
