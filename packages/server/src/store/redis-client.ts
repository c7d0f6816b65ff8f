import type { Redis } from 'ioredis';

const RECONNECT_MS = 500;
/**
 * After this time without a response, a connection is replaced. If the host of the server is gone, nothing closes the
 * connection, and TCP needs about 15 minutes to detect this.
 */
const RESPONSE_TIMEOUT_MS = 10_000;

/**
 * Opens a connection to Redis or Valkey without waiting for it. Commands fail immediately while there is no connection. A
 * broken connection is opened again automatically. The caller must listen for the event `error`.
 *
 * @param url `redis://…` or `rediss://…`
 */
export async function openRedisClient(url: string): Promise<Redis> {
  const { Redis } = await import('ioredis');
  return new Redis(url, {
    // The caller decides about a lost command. If it was sent again, it could count twice.
    autoResendUnfulfilledCommands: false,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 2_000,
    socketTimeout: RESPONSE_TIMEOUT_MS,
    retryStrategy: () => RECONNECT_MS,
    // After a failover, an old connection can still lead to the previous primary server. A new connection leads to the
    // current one.
    reconnectOnError: (error) => /^(READONLY|MASTERDOWN)/.test(error.message),
    disableClientInfo: true,
  });
}
