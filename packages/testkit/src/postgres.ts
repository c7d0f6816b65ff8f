import { join } from 'node:path';
import { findPostgres } from './postgres-programs.ts';
import { startSupervisor } from './server-supervisor.ts';

/** A PostgreSQL server for tests. */
export interface TestPostgres {
  /** `postgres://…` of its administrator, who may create databases. */
  readonly url: string;
  /** Process id of the server. Null for an existing server. */
  readonly pid: number | null;
  /** Stops the server and removes its data. Does nothing for an existing server. */
  stop(): Promise<void>;
}

/** A PostgreSQL server that only one test uses. */
export interface DedicatedPostgres extends TestPostgres {
  /** Kills the server, as a crash does. */
  crash(): Promise<void>;
  /** Starts it again on the same port with the same data. */
  start(): Promise<void>;
}

const CACHE = join(import.meta.dirname, '..', '..', '..', '.runtime', 'postgres');
const SUPERVISOR = join(import.meta.dirname, 'postgres-supervisor.ts');

/**
 * Returns the PostgreSQL server in `FLOE_TEST_POSTGRES_URL` (the test runner sets it), or
 * starts one.
 */
export async function getTestPostgres(): Promise<TestPostgres> {
  const url = process.env['FLOE_TEST_POSTGRES_URL'];
  return url ? { url, pid: null, stop: async () => undefined } : startDedicatedPostgres();
}

/**
 * Starts a PostgreSQL server on a loopback port, with programs from this host or from npm. The server
 * ends with this process, even if this process crashes. `settings` override the default settings for
 * tests, which disable durability. A test that crashes the server needs `synchronous_commit: 'on'`.
 *
 * @throws Error that states what is missing; it never skips
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
