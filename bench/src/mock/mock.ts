import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { isInstalled } from '../machine.ts';
import { freePort, type Program, type RunningProgram, startProgram } from '../processes.ts';
import { encodeBlocks, type MockDialect, mockBlocks } from './answers.ts';

const HERE = import.meta.dirname;

export interface Mock {
  readonly running: RunningProgram;
  readonly language: 'C' | 'Node';
}

/** Starts a mock upstream: the C program where there is a compiler, half the CPU of the Node one. */
export async function startMock(workDir: string, dialect: MockDialect): Promise<Mock> {
  const port = await freePort();
  const compiled = compile(workDir);
  const program: Program = compiled
    ? { file: compiled, args: [String(port)] }
    : { file: process.execPath, args: [join(HERE, 'mock-server.ts'), String(port)] };
  const running = await startProgram({ ...program, input: encodeBlocks(mockBlocks(dialect)) }, port);
  return { running, language: compiled ? 'C' : 'Node' };
}

function compile(workDir: string): string | null {
  if (!isInstalled('cc')) return null;
  const out = join(workDir, 'mock');
  const done = spawnSync('cc', ['-O2', '-o', out, join(HERE, 'mock.c')], { encoding: 'utf8' });
  return done.status === 0 ? out : null;
}
