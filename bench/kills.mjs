// kill -9 at random points under load, for as many requests as asked, in pieces: `node bench/kills.mjs --help`.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('./src/kills.ts', import.meta.url));
const { status } = spawnSync(process.execPath, [program, ...process.argv.slice(2)], { stdio: 'inherit' });
process.exitCode = status ?? 1;
