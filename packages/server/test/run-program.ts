import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { MINIMAL_ENVIRONMENT } from '@floe/testkit/minimal-environment';

export const REPOSITORY_ROOT = join(import.meta.dirname, '..', '..', '..');
export const CLI_PROGRAM = join(REPOSITORY_ROOT, 'packages/cli/bin/floe.mjs');

export interface ProgramExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end with a bare environment; ends it when it has not ended in a minute. */
export async function runProgramToEnd(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd: string,
): Promise<ProgramExit> {
  const child = spawn(process.execPath, [program, ...args], {
    cwd,
    env: { ...MINIMAL_ENVIRONMENT, HOME: cwd, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 60_000,
    killSignal: 'SIGKILL',
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    stdout += part;
  });
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    stderr += part;
  });
  await once(child, 'close');
  return { code: child.exitCode, signal: child.signalCode, stdout, stderr };
}
