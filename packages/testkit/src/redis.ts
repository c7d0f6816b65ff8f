import { join } from 'node:path';
import { findRedis } from './redis-programs.ts';
import { startSupervisor } from './server-supervisor.ts';

/** A Redis server for tests. */
export interface TestRedis {
  /** `redis://…` of its first database. */
  readonly url: string;
  /** Process id of the server. Null for an existing server. */
  readonly pid: number | null;
  /** Stops the server. Does nothing for an existing server. */
  stop(): Promise<void>;
}

/** A Redis server that only one test uses. */
export interface DedicatedRedis extends TestRedis {
  readonly pid: number;
  /** Kills the server, as a crash does. */
  crash(): Promise<void>;
  /** Starts it again, without data, on the same port. */
  start(): Promise<void>;
}

const CACHE = join(import.meta.dirname, '..', '..', '..', '.runtime', 'redis');
const SUPERVISOR = join(import.meta.dirname, 'redis-supervisor.ts');

/** Returns the Redis or Valkey server in `FLOE_TEST_REDIS_URL`, or starts one. */
export async function getTestRedis(): Promise<TestRedis> {
  const url = process.env['FLOE_TEST_REDIS_URL'];
  return url ? { url, pid: null, stop: async () => undefined } : startDedicatedRedis();
}

/**
 * Starts a Redis server on a loopback port, with the program from this host or from an unpacked Debian
 * package. Used by tests that stop, kill or flush the server. The server ends with this process, even
 * if this process crashes.
 *
 * @throws Error that states what is missing; it never skips
 */
export async function startDedicatedRedis(): Promise<DedicatedRedis> {
  const { path, libraries } = findRedis(CACHE);
  const keeper = await startSupervisor(SUPERVISOR, [path, libraries ?? '']);
  if (!keeper) throw new Error('No Redis could be started for the tests (its message is above).');
  const [port, first] = keeper.firstLine.split(' ');
  let pid = Number(first);
  return {
    url: `redis://127.0.0.1:${port}`,
    get pid() {
      return pid;
    },
    crash: () => keeper.sendCommand('crash').then(() => undefined),
    async start() {
      pid = Number(await keeper.sendCommand('start'));
    },
    stop: keeper.stop,
  };
}
