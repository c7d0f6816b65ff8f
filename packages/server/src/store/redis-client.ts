import type { Redis } from 'ioredis';

const RECONNECT_MS = 500;
/**
 * After this time without a response, a connection is replaced. If the host of the server is gone, nothing closes the
 * connection, and TCP needs about 15 minutes to detect this.
 */
const RESPONSE_TIMEOUT_MS = 10_000;
/** Number of checks within `RESPONSE_TIMEOUT_MS`. */
const SILENT_CHECKS = 10;

/**
 * Opens a connection to Redis or Valkey without waiting for it. Commands fail immediately while there is no connection. A
 * broken connection is opened again automatically. The caller must listen for the event `error`.
 *
 * @param url `redis://…` or `rediss://…`
 */
export async function openRedisClient(url: string, responseTimeoutMs = RESPONSE_TIMEOUT_MS): Promise<Redis> {
  const { Redis } = await import('ioredis');
  const client = new Redis(url, {
    // The caller decides about a lost command. If it was sent again, it could count twice.
    autoResendUnfulfilledCommands: false,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 2_000,
    retryStrategy: () => RECONNECT_MS,
    // After a failover, an old connection can still lead to the previous primary server. A new connection leads to the
    // current one.
    reconnectOnError: (error) => /^(READONLY|MASTERDOWN)/.test(error.message),
    disableClientInfo: true,
  });
  client.on('connect', () => closeIfSilent(client, responseTimeoutMs));
  return client;
}

/**
 * Closes the current connection if commands wait for responses and nothing arrives. Counts checks instead of measuring the
 * time, because after a stall of this process the responses may have arrived, but have not been read yet.
 */
function closeIfSilent(client: Redis, responseTimeoutMs: number): void {
  const { stream } = client;
  let silentChecks = 0;
  let bytesRead = 0;
  const timer = setInterval(() => {
    const isSilent = client.commandQueue.length > 0 && stream.bytesRead === bytesRead;
    silentChecks = isSilent ? silentChecks + 1 : 0;
    bytesRead = stream.bytesRead;
    if (silentChecks >= SILENT_CHECKS)
      stream.destroy(new Error(`the server did not respond within ${responseTimeoutMs / 1_000} s`));
  }, responseTimeoutMs / SILENT_CHECKS);
  timer.unref();
  stream.once('close', () => clearInterval(timer));
}
