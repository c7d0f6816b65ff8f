#!/usr/bin/env node
// Launcher, plain JavaScript for any Node: the command itself is TypeScript and needs the project's Node.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { environment, isSupported, setup } from '../../../scripts/setup.mjs';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
if (isSupported(process.version)) {
  await import(main);
} else {
  const node = setup();
  const done = spawnSync(node, [main, ...process.argv.slice(2)], {
    env: environment(node),
    stdio: 'inherit',
  });
  process.exit(done.status ?? 1);
}
