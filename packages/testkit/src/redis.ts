import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { findRedis } from './redis-programs.ts';

export interface Redis {
  /** `redis://…` of its first database. */
  readonly url: string;
  /** Process id of the server; null for one that was there already. */
  readonly pid: number | null;
  /** Ends it; nothing for one that was there already. */
  stop(): Promise<void>;
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
export async function startRedis(): Promise<Redis> {
  const { path, libraries } = findRedis(CACHE);
  const keeper = spawn(process.execPath, [KEEPER, path, libraries ?? ''], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exit = once(keeper, 'exit');
  const lines = createInterface({ input: keeper.stdout });
  const [line] = await Promise.race([once(lines, 'line'), exit.then(() => [null])]);
  if (typeof line !== 'string')
    throw new Error('No Redis could be started for the tests (its message is above).');
  const [port, pid] = line.split(' ');
  lines.close();
  keeper.stdout.destroy();
  keeper.unref();
  return {
    url: `redis://127.0.0.1:${port}`,
    pid: Number(pid),
    async stop() {
      keeper.ref();
      keeper.stdin.end();
      await exit;
    },
  };
}
