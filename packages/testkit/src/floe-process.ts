import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TEST_TIMEOUT_MS } from './eventually.ts';
import { MINIMAL_ENVIRONMENT } from './minimal-environment.ts';

/** The options of `startFloeProcess`. */
export interface FloeProcessOptions {
  /** Added to a minimal environment, so that no provider key of this machine reaches the server. */
  readonly env?: Readonly<Record<string, string>>;
  /** Text of `floe.yaml`. */
  readonly yaml?: string;
  /**
   * Kept after the process ends, for restarts with the same data. Absent: a temporary directory, which is
   * removed.
   */
  readonly dataDir?: string;
  /** Default: 0, a free port. */
  readonly port?: number;
  /** Milliseconds until the server must be listening. */
  readonly startTimeoutMs?: number;
  /** The program to run with node. Default: the server. */
  readonly program?: string;
  readonly args?: readonly string[];
  /**
   * Starts a separate process group, as a terminal does, so that `process.kill(-pid, …)` reaches all of it.
   */
  readonly ownGroup?: boolean;
}

/** How a process ended. */
export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A running server process. */
export interface FloeProcess {
  /** `http://127.0.0.1:<port>`: the main listener, as the server printed it. */
  readonly url: string;
  readonly dataDir: string;
  /** Path of `floe.yaml`, whether it exists or not. */
  readonly configFile: string;
  readonly pid: number;
  /** Resolves when the process has ended and its output is complete. */
  readonly exited: Promise<ProcessExit>;
  /** Output so far, from stdout and stderr in order of arrival. */
  output(): string;
  /**
   * The platform key that a first start prints.
   *
   * @throws Error if the process ends or a minute passes without one
   */
  waitForKey(): Promise<string>;
  /** Resolves to the first match in the output. Rejects if the process ends or the timeout passes first. */
  waitForOutput(pattern: RegExp, timeoutMs?: number): Promise<RegExpExecArray>;
  /** Sends SIGTERM or another signal and waits until the process has ended. */
  stop(signal?: NodeJS.Signals): Promise<ProcessExit>;
  /** Kills the process, as a crash does, and waits until it has ended. */
  kill(): Promise<ProcessExit>;
}

/**
 * The path of the built server that `npm start` runs, if the test run has built it; otherwise, the
 * path of the server's source file.
 */
export const SERVER_PROGRAM =
  process.env['FLOE_TEST_SERVER'] ?? join(import.meta.dirname, '..', '..', 'server', 'bin', 'server.mjs');
const LISTENING_PATTERN = /^\{.*"local_url":"(http:\/\/(?:[\w.-]+|\[[0-9a-f:]+\]):\d+)[^"]*".*\}$/m;
const KEY_PATTERN = /\beis_[0-9A-Za-z_-]{20,}/;

/** Child processes that end with this process, in case a test does not stop them. */
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/**
 * Starts the real server as a process, with a free port and its own data directory. Resolves when the
 * server is listening.
 *
 * @throws Error with the server's output if it ends or does not listen in time
 */
export async function startFloeProcess(options: FloeProcessOptions = {}): Promise<FloeProcess> {
  const home = mkdtempSync(join(tmpdir(), 'floe-test-'));
  const dataDir = options.dataDir ?? join(home, 'data');
  const env: Record<string, string> = {
    ...MINIMAL_ENVIRONMENT,
    HOME: home,
    TMPDIR: home,
    FLOE_DATA_DIR: dataDir,
    FLOE_PORT: String(options.port ?? 0),
    // A test with an open request must not wait for it. Tests of the shutdown set both.
    FLOE_SHUTDOWN_DELAY_MS: '0',
    FLOE_DRAIN_TIMEOUT_MS: '25000',
  };
  if (options.yaml !== undefined) {
    env['FLOE_CONFIG'] = join(home, 'floe.yaml');
    writeFileSync(env['FLOE_CONFIG'], options.yaml);
  }
  const child = spawn(process.execPath, [options.program ?? SERVER_PROGRAM, ...(options.args ?? [])], {
    cwd: home,
    env: { ...env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: options.ownGroup === true,
  });
  running.add(child);
  const output = collectOutput(child);
  const exit = waitForExit(child, home);
  const waitForOutput = (pattern: RegExp, timeoutMs = TEST_TIMEOUT_MS) =>
    output.match(pattern, timeoutMs, exit);
  const stop = (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal);
    return exit;
  };
  try {
    const listening = await waitForOutput(LISTENING_PATTERN, options.startTimeoutMs ?? TEST_TIMEOUT_MS);
    return {
      url: listening[1] ?? '',
      dataDir,
      configFile: env['FLOE_CONFIG'] ?? join(home, 'floe.yaml'),
      pid: child.pid ?? 0,
      exited: exit,
      output: output.text,
      waitForKey: async () => (await waitForOutput(KEY_PATTERN))[0],
      waitForOutput,
      stop,
      kill: () => stop('SIGKILL'),
    };
  } catch (error) {
    await stop('SIGKILL');
    throw error;
  }
}

async function waitForExit(child: ChildProcess, home: string): Promise<ProcessExit> {
  // 'close' and not 'exit', because the output is complete only then.
  await once(child, 'close').catch(() => undefined);
  running.delete(child);
  rmSync(home, { recursive: true, force: true });
  return { code: child.exitCode, signal: child.signalCode };
}

function collectOutput(child: ChildProcess) {
  let text = '';
  const watchers = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      for (const look of watchers) look();
    });
  return {
    text: () => text,
    match(pattern: RegExp, timeoutMs: number, exit: Promise<ProcessExit>): Promise<RegExpExecArray> {
      return new Promise((resolve, reject) => {
        const done = () => {
          watchers.delete(look);
          clearTimeout(timer);
        };
        const fail = (what: string) => {
          done();
          reject(new Error(`${what} without printing ${pattern}; its output:\n${text}`));
        };
        const look = () => {
          const found = pattern.exec(text);
          if (!found) return;
          done();
          resolve(found);
        };
        const timer = setTimeout(() => fail(`${timeoutMs} ms passed`), timeoutMs);
        watchers.add(look);
        look();
        void exit.then(({ code, signal }) => fail(`the process ended (${signal ?? code})`));
      });
    },
  };
}
