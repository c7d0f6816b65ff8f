import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * What a program needs of this machine's environment, and nothing of it that could change what the program does.
 * The compile cache is one for all: with a home of its own each process would compile everything anew.
 */
export const MINIMAL_ENVIRONMENT: Readonly<Record<string, string>> = {
  PATH: process.env['PATH'] ?? '',
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(tmpdir(), 'floe-compile-cache'),
};
