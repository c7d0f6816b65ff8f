import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * The environment variables that programs need, without any that change the behavior of programs. All
 * programs share one compile cache, so that not every process compiles all code.
 */
export const MINIMAL_ENVIRONMENT: Readonly<Record<string, string>> = {
  PATH: process.env['PATH'] ?? '',
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(tmpdir(), 'floe-compile-cache'),
};
