import { availableParallelism } from 'node:os';
import type { ServerConfig } from '@floe/contract/config';

/** Returns the number of processes that `server.processes` configures. `auto` is one for each core. */
export function resolveProcessCount({ processes }: Pick<ServerConfig, 'processes'>): number {
  return processes === 'auto' ? availableParallelism() : processes;
}
