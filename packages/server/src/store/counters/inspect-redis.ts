import type { Clock } from '../../core/clock.ts';
import { FatalError } from '../../core/fatal-error.ts';
import { measureFastestResponse, type StoreInspection } from '../store-inspection.ts';

const TIMEOUT_MS = 5_000;

/**
 * Connects to a Redis server once and reports its state. Changes nothing.
 *
 * @throws FatalError when the server cannot be reached or rejects the connection
 */
export async function inspectRedis(url: string, clock: Clock): Promise<StoreInspection> {
  const { Redis } = await import('ioredis');
  const client = new Redis(url, {
    lazyConnect: true,
    connectTimeout: TIMEOUT_MS,
    commandTimeout: TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    disableClientInfo: true,
  });
  let lastError: Error | null = null;
  client.on('error', (error: Error) => {
    lastError = error;
  });
  try {
    await client.connect();
    const { result, latencyMs, atMs } = await measureFastestResponse(() => client.time(), clock);
    const [seconds = 0, microseconds = 0] = result;
    const storeMs = Number(seconds) * 1000 + Number(microseconds) / 1000;
    return {
      version: findVersion(await client.info('server')),
      latencyMs,
      clockOffsetMs: storeMs - atMs,
      evictionPolicy: findEvictionPolicy(await client.info('memory')),
    };
  } catch (error) {
    const cause = lastError ?? error;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new FatalError(
      `Cannot use the shared store: ${reason}. Check storage.shared (or FLOE_REDIS_URL).`,
      { cause },
    );
  } finally {
    client.disconnect();
  }
}

/** Valkey reports its own version beside the Redis version that it is compatible with. */
function findVersion(info: string): string {
  const valkey = /^valkey_version:(\S+)/m.exec(info)?.[1];
  if (valkey !== undefined) return `Valkey ${valkey}`;
  return `Redis ${/^redis_version:(\S+)/m.exec(info)?.[1] ?? ''}`;
}

function findEvictionPolicy(info: string): string | null {
  return /^maxmemory_policy:(\S+)/m.exec(info)?.[1] ?? null;
}
