import { join } from 'node:path';
import { startKeeper } from './keeper-link.ts';
import { findRedis } from './redis-programs.ts';

export interface Redis {
  /** `redis://…` of its first database. */
  readonly url: string;
  /** Process id of the server; null for one that was there already. */
  readonly pid: number | null;
  /** Ends it; nothing for one that was there already. */
  stop(): Promise<void>;
}

/** A Redis that a test may do anything to. */
export interface OwnRedis extends Redis {
  readonly pid: number;
  /** Ends it as a crash would. */
  crash(): Promise<void>;
  /** Starts it again, empty, on the same port. */
  start(): Promise<void>;
}

const CACHE = join(import.meta.dirname, '..', '..', '..', '.runtime', 'redis');
const KEEPER = join(import.meta.dirname, 'redis-keeper.ts');

/** The Redis or Valkey that `FLOE_TEST_REDIS_URL` names, else one started now. */
export async function testRedis(): Promise<Redis> {
  const url = process.env['FLOE_TEST_REDIS_URL'];
  return url ? { url, pid: null, stop: async () => undefined } : startRedis();
}

/**
 * A Redis of its own on a loopback port: of this machine, else Debian's unpacked. A test that stops, kills or
 * flushes it takes this one. It ends with this process, also when that crashes.
 *
 * @throws Error that says what is missing; never skips in silence.
 */
export async function startRedis(): Promise<OwnRedis> {
  const { path, libraries } = findRedis(CACHE);
  const keeper = await startKeeper(KEEPER, [path, libraries ?? '']);
  if (!keeper) throw new Error('No Redis could be started for the tests (its message is above).');
  const [port, first] = keeper.greeting.split(' ');
  let pid = Number(first);
  return {
    url: `redis://127.0.0.1:${port}`,
    get pid() {
      return pid;
    },
    crash: () => keeper.ask('crash').then(() => undefined),
    async start() {
      pid = Number(await keeper.ask('start'));
    },
    stop: keeper.stop,
  };
}
