import { join } from 'node:path';
import { findRedis } from './redis-programs.ts';
import { startSupervisor } from './server-supervisor.ts';

export interface TestRedis {
  /** `redis://…` of its first database. */
  readonly url: string;
  /** Process id of the server; null for one that was there already. */
  readonly pid: number | null;
  /** Ends it; nothing for one that was there already. */
  stop(): Promise<void>;
}

/** A Redis that a test may do anything to. */
export interface DedicatedRedis extends TestRedis {
  readonly pid: number;
  /** Ends it as a crash would. */
  crash(): Promise<void>;
  /** Starts it again, empty, on the same port. */
  start(): Promise<void>;
}

const CACHE = join(import.meta.dirname, '..', '..', '..', '.runtime', 'redis');
const SUPERVISOR = join(import.meta.dirname, 'redis-supervisor.ts');

/** The Redis or Valkey that `FLOE_TEST_REDIS_URL` names, else one started now. */
export async function getTestRedis(): Promise<TestRedis> {
  const url = process.env['FLOE_TEST_REDIS_URL'];
  return url ? { url, pid: null, stop: async () => undefined } : startDedicatedRedis();
}

/**
 * A Redis of its own on a loopback port: of this machine, else Debian's unpacked. A test that stops, kills or
 * flushes it takes this one. It ends with this process, also when that crashes.
 *
 * @throws Error that says what is missing; never skips in silence.
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
