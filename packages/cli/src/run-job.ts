import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { JobOutputCopier, waitForRemainingOutput } from './job-output-copier.ts';
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
 * If `tail` is given, also records the output, but not output to a terminal, because a job behaves
 * differently if its output is a pipe.
 */
export async function runJob(command: readonly string[], tail: OutputTail | null): Promise<JobExit> {
  const [program = '', ...args] = command;
  const isCopied = [process.stdout, process.stderr].map((to) => tail !== null && !to.isTTY);
  const [out, err] = isCopied.map((copied) => (copied ? 'pipe' : 'inherit'));
  let child: ChildProcess;
  try {
    child = spawn(program, args, { stdio: ['inherit', out ?? 'inherit', err ?? 'inherit'] });
  } catch (error) {
    // Node.js throws some errors of the operating system, such as ENOTDIR, and emits others.
    return reportStartFailure(program, error);
  }
  const release = forwardSignals(child);
  const copyOf = (from: Readable | null, to: Writable) =>
    from && tail ? [new JobOutputCopier(from, to, tail)] : [];
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
  copies: readonly JobOutputCopier[],
): Promise<JobExit> {
  const closed = new Promise((resolve) => child.once('close', resolve));
  try {
    await once(child, 'spawn');
  } catch (error) {
    return reportStartFailure(program, error);
  }
  const exited = new Promise((resolve) => child.once('exit', resolve));
  // A signal could not be sent, for example to a job that runs as another user. The job continues.
  child.on('error', () => undefined);
  await exited;
  await waitForRemainingOutput(copies, closed, wait);
  const { signalCode: signal } = child;
  return { status: signal === null ? (child.exitCode ?? 1) : 128 + constants.signals[signal], signal };
}

/** Prints why a command could not be started, and returns the exit status that a shell would have. */
function reportStartFailure(program: string, error: unknown): JobExit {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  const isMissing = program === '' || code === 'ENOENT';
  process.stderr.write(`floe: ${program}: ${isMissing ? 'command not found' : String(error)}\n`);
  return { status: isMissing ? 127 : 126, signal: null };
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
