import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TEST_TIMEOUT_MS } from './eventually.ts';
import { MINIMAL_ENVIRONMENT } from './minimal-environment.ts';

export interface FloeProcessOptions {
  /** Added to an otherwise bare environment: no provider key of this machine reaches the server. */
  readonly env?: Readonly<Record<string, string>>;
  /** Text of `floe.yaml`. */
  readonly yaml?: string;
  /** Kept when given, for restarts on the same data; else a temporary one, removed at the end. */
  readonly dataDir?: string;
  /** 0, a free port, unless given. */
  readonly port?: number;
  /** How long the server may take until it listens, in milliseconds. */
  readonly startTimeoutMs?: number;
  /** The program to run with node; the server unless given. */
  readonly program?: string;
  readonly args?: readonly string[];
  /** In a process group of its own, as a terminal starts it: `process.kill(-pid, …)` reaches all of it. */
  readonly ownGroup?: boolean;
}

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface FloeProcess {
  /** `http://127.0.0.1:<port>`, as the server printed it: its main listener. */
  readonly url: string;
  readonly dataDir: string;
  /** Where `floe.yaml` lies, or would. */
  readonly configFile: string;
  readonly pid: number;
  /** Resolves when the process has ended and its output is complete. */
  readonly exited: Promise<ProcessExit>;
  /** Standard output and standard error so far, as they came. */
  output(): string;
  /**
   * The platform key that a first start prints.
   *
   * @throws Error when the process ends without printing one, or none comes in a minute.
   */
  waitForKey(): Promise<string>;
  /** Resolves with the first match in the output; rejects when the process ends or the time passes without one. */
  waitForOutput(pattern: RegExp, timeoutMs?: number): Promise<RegExpExecArray>;
  /** Asks it to end (SIGTERM) and waits until it has. */
  stop(signal?: NodeJS.Signals): Promise<ProcessExit>;
  /** Ends it as a crash would, and waits until it is gone. */
  kill(): Promise<ProcessExit>;
}

/** The server as `npm start` runs it where the run of the tests has built it, else its sources. */
export const SERVER_PROGRAM =
  process.env['FLOE_TEST_SERVER'] ?? join(import.meta.dirname, '..', '..', 'server', 'bin', 'server.mjs');
const LISTENING_PATTERN = /^\{.*"local_url":"(http:\/\/(?:[\w.-]+|\[[0-9a-f:]+\]):\d+)[^"]*".*\}$/m;
const KEY_PATTERN = /\beis_[0-9A-Za-z_-]{20,}/;

/** Ended with this process, should a test leave them behind. */
const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/**
 * The real server as a process of its own, on a free port and data of its own. Resolves when it listens.
 *
 * @throws Error with the server's output when it ends, or does not listen in time.
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
    // A test that leaves a request open must not wait for it. Tests of a shutdown set both.
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
  // 'close' and not 'exit': only then is the output complete.
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
