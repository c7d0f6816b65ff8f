import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { copyRemainingOutput, OutputCopy } from './output-copy.ts';
import type { OutputTail } from './output-tail.ts';

/** How a job ended: its exit status, or the signal that ended it. */
export interface JobExit {
  /** Exit status as a shell reports it: 128 plus the signal number for a job that a signal ended. */
  readonly status: number;
  readonly signal: NodeJS.Signals | null;
}

const FORWARDED_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const;
/** Signals that a terminal sends to the whole process group, including the job. */
const TERMINAL_SIGNALS: readonly string[] = ['SIGINT', 'SIGQUIT'];

/**
 * Runs a command. Its input, output, signals and exit status are the same as if it had been started directly.
 * If `tail` is given, the output is also recorded, except output to a terminal: with a pipe instead of the
 * terminal, the job would behave differently.
 */
export async function runJob(command: readonly string[], tail: OutputTail | null): Promise<JobExit> {
  const [program = '', ...args] = command;
  const isCopied = [process.stdout, process.stderr].map((to) => tail !== null && !to.isTTY);
  const [out, err] = isCopied.map((copied) => (copied ? 'pipe' : 'inherit'));
  const child = spawn(program, args, { stdio: ['inherit', out ?? 'inherit', err ?? 'inherit'] });
  const release = forwardSignals(child);
  const copyOf = (from: Readable | null, to: Writable) =>
    from && tail ? [new OutputCopy(from, to, tail)] : [];
  const copies = [...copyOf(child.stdout, process.stdout), ...copyOf(child.stderr, process.stderr)];
  try {
    return await waitForExit(child, program, copies);
  } finally {
    release();
  }
}

async function waitForExit(
  child: ChildProcess,
  program: string,
  copies: readonly OutputCopy[],
): Promise<JobExit> {
  const closed = once(child, 'close').catch(() => undefined);
  try {
    await once(child, 'exit');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    process.stderr.write(`floe: ${program}: ${code === 'ENOENT' ? 'command not found' : String(error)}\n`);
    return { status: code === 'ENOENT' ? 127 : 126, signal: null };
  }
  await copyRemainingOutput(copies, closed, wait);
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
