// Runs PostgreSQL while its stdin is open, so that it ends with a test run that crashes. Arguments: directory
// of the programs, and settings as JSON. Prints one line when the server is ready: `<port> <password> <pid>`.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ensureRunnableBy } from './postgres-programs.ts';
import { serveSupervisorCommands } from './supervisor-commands.ts';

/** PostgreSQL refuses to run as root, so it runs as `nobody`, which has the same uid everywhere. */
const NOBODY_UID = 65534;
const START_TIMEOUT_MS = 60_000;

const uid = process.getuid?.() === 0 ? NOBODY_UID : undefined;
const identity = uid === undefined ? {} : { uid, gid: uid };
const home = mkdtempSync(join(tmpdir(), 'floe-postgres-'));
const data = join(home, 'data');
let server: ChildProcess | null = null;

function chownToServer(path: string): void {
  if (uid !== undefined) chownSync(path, uid, uid);
}

async function initializeDatabase(bin: string, password: string): Promise<void> {
  chmodSync(home, 0o755);
  mkdirSync(data, { mode: 0o700 });
  chownToServer(data);
  const passwordFile = join(home, 'password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  chownToServer(passwordFile);
  const args = ['-D', data, '-U', 'floe', `--pwfile=${passwordFile}`, '-A', 'scram-sha-256'];
  const more = ['-E', 'UTF8', '--no-locale', '--no-sync', '--no-instructions'];
  const made = spawnSync(join(bin, 'initdb'), [...args, ...more], {
    cwd: '/',
    ...identity,
    encoding: 'utf8',
  });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stdout}${made.stderr}${made.error ?? ''}`);
}

/** Durability is off, because the data does not outlive the test run. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  max_connections: '300',
  shared_buffers: '256MB',
  max_wal_size: '2GB',
};

function parseSettings(text: string): Record<string, string> {
  const given: unknown = JSON.parse(text);
  return Object.fromEntries(Object.entries(given ?? {}).map(([name, value]) => [name, String(value)]));
}

async function startServer(bin: string, given: Readonly<Record<string, string>>): Promise<ChildProcess> {
  const settings = Object.entries({ ...given, lc_messages: 'C' });
  const args = ['-D', data, ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])];
  let said = '';
  const child = spawn(join(bin, 'postgres'), args, {
    cwd: '/',
    ...identity,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-4000);
  });
  const until = Date.now() + START_TIMEOUT_MS;
  // An open port is not sufficient, because PostgreSQL rejects connections with "is starting up" at first.
  while (!said.includes('ready to accept connections')) {
    if (child.exitCode !== null || Date.now() > until) {
      child.kill('SIGKILL');
      throw new Error(`postgres did not start: ${said}`);
    }
    await wait(20);
  }
  return child;
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/**
 * SIGQUIT ends PostgreSQL with all its processes immediately. It recovers unwritten data at its next start.
 */
async function crash(): Promise<void> {
  if (!server || server.exitCode !== null || server.signalCode !== null) return;
  const exit = once(server, 'exit');
  // A test may have stopped it (SIGSTOP), and a stopped process receives no other signal.
  server.kill('SIGCONT');
  server.kill('SIGQUIT');
  await Promise.race([exit, wait(10_000)]);
  server.kill('SIGKILL');
  await exit;
}

async function end(code: number): Promise<never> {
  await crash();
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  process.exit(code);
}

try {
  const [, , programs = '', settings = '{}'] = process.argv;
  const bin = ensureRunnableBy(uid, programs, home);
  const password = randomBytes(12).toString('hex');
  await initializeDatabase(bin, password);
  const port = await freePort();
  const start = async () => {
    server = await startServer(bin, { ...SETTINGS, ...parseSettings(settings), port: String(port) });
    return server.pid ?? 0;
  };
  process.stdout.write(`${port} ${password} ${await start()}\n`);
  serveSupervisorCommands({ crash, end, start });
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  await end(1);
}
