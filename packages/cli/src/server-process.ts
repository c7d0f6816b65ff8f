import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const SERVER_ENTRY = fileURLToPath(new URL('../../server/bin/server.mjs', import.meta.url));
const FORWARDED_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR2'] as const;

/**
 * The help text for commands that run the server program. It lists the environment variables that select the
 * configuration, the data directory and the database.
 */
export const SERVER_ENVIRONMENT_HELP = `Environment:
  FLOE_CONFIG        path of the configuration file; default: floe.yaml in the current directory, if it exists
  FLOE_DATA_DIR      data directory; default: .floe in the current directory
  FLOE_DATABASE_URL  sqlite:<file> or postgres://…; default: storage.database, or a file in the data directory
All variables: docs/reference/environment-variables.md`;

/**
 * Runs the server program with these arguments, forwards signals to it, and resolves to its exit code. If
 * this process is killed, the IPC channel closes, and the server program then shuts down.
 */
export function runServerProgram(args: readonly string[]): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [SERVER_ENTRY, ...args], {
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    });
    for (const signal of FORWARDED_SIGNALS) process.on(signal, () => child.kill(signal));
    child.on('error', (error) => {
      process.stderr.write(`floe: could not start the server program: ${error.message}\n`);
      resolve(1);
    });
    child.on('exit', (code) => resolve(code ?? 1));
  });
}

/**
 * Runs the server program with `input` as its standard input. Resolves to its exit code and, if the exit code
 * is 0, to its output as parsed JSON.
 */
export async function runServerProgramForJson(
  args: readonly string[],
  input: string,
): Promise<{ readonly code: number; readonly value: unknown }> {
  const child = spawn(process.execPath, [SERVER_ENTRY, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exit = new Promise<number>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? 1));
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const output = await text(child.stdout);
  const code = await exit;
  return { code, value: code === 0 ? JSON.parse(output) : undefined };
}
