// Runs Redis while its stdin is open, so that it ends with a test run that crashes. Arguments: the program,
// and the directory of its libraries or nothing. Prints `<port> <pid>` when the server is ready.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { serveSupervisorCommands } from './supervisor-commands.ts';

const [program = '', libraries = ''] = process.argv.slice(2);
const home = mkdtempSync(join(tmpdir(), 'floe-redis-'));
let server: ChildProcess | null = null;

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/** Nothing is written to disk, so a restarted server has no data. */
async function startServer(port: number): Promise<ChildProcess> {
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const env = libraries === '' ? process.env : { ...process.env, LD_LIBRARY_PATH: libraries };
  const child = spawn(program, [...args, '--dir', home], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  const lines = createInterface({ input: child.stdout });
  const ended = once(child, 'exit');
  const ready = new Promise<true>((resolve) => {
    lines.on('line', (line) => {
      said = `${said}${line}\n`.slice(-4000);
      if (/ready to accept connections/i.test(line)) resolve(true);
    });
  });
  if ((await Promise.race([ready, ended])) !== true) throw new Error(`${program} did not start: ${said}`);
  return child;
}

async function crash(): Promise<void> {
  if (!server || server.exitCode !== null || server.signalCode !== null) return;
  // SIGKILL also ends a process that a test has stopped (SIGSTOP).
  const exit = once(server, 'exit');
  server.kill('SIGKILL');
  await exit;
}

async function end(code: number): Promise<never> {
  await crash();
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  process.exit(code);
}

async function start(port: number): Promise<number> {
  server = await startServer(port);
  return server.pid ?? 0;
}

try {
  const port = await freePort();
  process.stdout.write(`${port} ${await start(port)}\n`);
  serveSupervisorCommands({ crash, end, start: () => start(port) });
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  await end(1);
}
