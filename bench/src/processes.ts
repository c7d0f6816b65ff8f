import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

export interface Program {
  readonly file: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Bytes for its standard input. */
  readonly input?: Buffer;
  /** Milliseconds until it must accept connections. Default: 20 seconds. */
  readonly startMs?: number;
}

export interface RunningProgram {
  readonly pid: number;
  readonly port: number;
  /** From the start of the process until it accepted a connection. */
  readonly startMs: number;
  /** Ends it and waits until it is gone. */
  stop(): Promise<void>;
}

const children = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(130));

/** How much of a program's output is kept for an error's message. */
const OUTPUT_CHARS = 4000;
/** A start takes less than a second on an idle machine, and much longer on a busy one. */
const START_MS = 120_000;
const STOP_MS = 8_000;

export function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** The promise's outcome, or an Error when it takes longer. */
export async function withTimeLimit<T>(promise: Promise<T>, ms: number, what: string): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`${what} took longer than ${ms / 1000} s`)), ms);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function launch(program: Program): { child: ChildProcess; output: () => string } {
  // A bare environment: no key or setting of this machine reaches what is measured.
  const env = { PATH: process.env['PATH'] ?? '', HOME: program.cwd ?? '/', ...program.env };
  const child = spawn(program.file, program.args, {
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(program.cwd === undefined ? {} : { cwd: program.cwd }),
  });
  children.add(child);
  child.once('close', () => children.delete(child));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-OUTPUT_CHARS);
    });
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(program.input);
  return { child, output: () => output };
}

/** Runs a program to its end and gives its output; throws unless it ends with 0 in time. */
export async function runForOutput(
  file: string,
  args: readonly string[],
  { timeoutMs = 10_000, cwd = '/' } = {},
): Promise<string> {
  const { child, output } = launch({ file, args, cwd });
  try {
    const [code] = await withTimeLimit(once(child, 'close'), timeoutMs, file);
    if (code === 0) return output();
  } finally {
    child.kill('SIGKILL');
  }
  throw new Error(`${file} ended with ${child.exitCode ?? child.signalCode}:\n${output()}`);
}

/** The same program on the gateway's core. */
export function pinProgram(
  program: Program,
  pins: { readonly gateway: string } | { readonly none: string },
): Program {
  if (!('gateway' in pins)) return program;
  return { ...program, file: 'taskset', args: ['-c', pins.gateway, program.file, ...program.args] };
}

/** Starts a server and resolves when it accepts connections on `port`. */
export async function startProgram(program: Program, port: number): Promise<RunningProgram> {
  const startedAt = performance.now();
  const { child, output } = launch(program);
  const over = once(child, 'close').then(() => {
    throw new Error(`${program.file} ended with ${child.exitCode ?? child.signalCode}:\n${output()}`);
  });
  over.catch(() => undefined);
  try {
    const limitMs = program.startMs ?? START_MS;
    await withTimeLimit(Promise.race([accepts(port), over]), limitMs, `the start of ${program.file}`);
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
  return { pid: child.pid ?? 0, port, startMs: performance.now() - startedAt, stop: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await closed;
  clearTimeout(timer);
}

async function accepts(port: number): Promise<void> {
  while (!(await canConnect(port))) await delay(3);
}

function canConnect(port: number): Promise<boolean> {
  const socket = connect({ port, host: '127.0.0.1' });
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
  }).then((isOpen) => {
    socket.destroy();
    return isOpen === true;
  });
}

/** A port nobody listened on a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || address === null) throw new Error('no free port');
  return address.port;
}
