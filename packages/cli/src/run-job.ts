import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import type { OutputTail } from './output-tail.ts';

export interface JobExit {
  /** What a shell would call its exit status: 128 and the signal's number for one that was killed. */
  readonly status: number;
  readonly signal: NodeJS.Signals | null;
}

const FORWARDED_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const;
/** What a terminal sends to the whole group, the job included. */
const TERMINAL_SIGNALS: readonly string[] = ['SIGINT', 'SIGQUIT'];
/** How long output may still come from what a finished job left running behind it. */
const OUTPUT_DRAIN_MS = 1000;

/**
 * Runs a command as if it had been started directly: its input, output, signals and exit status pass through. With
 * `tail` its output is read on the way, unless it goes to a terminal, which the job would miss.
 */
export async function runJob(command: readonly string[], tail: OutputTail | null): Promise<JobExit> {
  const [program = '', ...args] = command;
  const copies = [process.stdout, process.stderr].map((to) => tail !== null && !to.isTTY);
  const [out, err] = copies.map((copied) => (copied ? 'pipe' : 'inherit'));
  const child = spawn(program, args, { stdio: ['inherit', out ?? 'inherit', err ?? 'inherit'] });
  const release = forwardSignals(child);
  if (tail) {
    if (child.stdout) pipeOutput(child.stdout, process.stdout, tail);
    if (child.stderr) pipeOutput(child.stderr, process.stderr, tail);
  }
  try {
    return await waitForExit(child, program);
  } finally {
    release();
  }
}

async function waitForExit(child: ChildProcess, program: string): Promise<JobExit> {
  const closed = once(child, 'close').catch(() => undefined);
  try {
    await once(child, 'exit');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    process.stderr.write(`floe: ${program}: ${code === 'ENOENT' ? 'command not found' : String(error)}\n`);
    return { status: code === 'ENOENT' ? 127 : 126, signal: null };
  }
  // A daemon that the job started may hold its output open for ever.
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise((resolve) => {
    timer = setTimeout(resolve, OUTPUT_DRAIN_MS);
  });
  await Promise.race([closed, timeout]);
  clearTimeout(timer);
  const { signalCode: signal } = child;
  return { status: signal === null ? (child.exitCode ?? 1) : 128 + constants.signals[signal], signal };
}

function forwardSignals(child: ChildProcess): () => void {
  const release: (() => void)[] = [];
  for (const signal of FORWARDED_SIGNALS) {
    const listener = () => {
      if (process.stdin.isTTY && TERMINAL_SIGNALS.includes(signal)) return;
      child.kill(signal);
    };
    process.on(signal, listener);
    release.push(() => process.off(signal, listener));
  }
  return () => {
    for (const stop of release) stop();
  };
}

function pipeOutput(from: Readable, to: Writable, tail: OutputTail): void {
  from.on('data', (part: Buffer) => tail.append(part));
  from.pipe(to, { end: false });
  // Whoever read our output is gone: the job learns it as it would have without us.
  to.on('error', () => from.destroy());
}
