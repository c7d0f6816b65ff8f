import type { OutboundGuard } from '../core/outbound-guard.ts';
import { ConnectionPools } from './connection-pools.ts';
import { OriginConnectionPool } from './http1/origin-connection-pool.ts';
import { createSocketConnector, type SocketConnector } from './socket-connector.ts';
import type { UpstreamRequest, UpstreamResponseHandler, UpstreamTransport } from './transport.ts';
import { UploadConnectionPool } from './upload-pool.ts';

/**
 * Creates an HTTP/1.1 transport with keep-alive connections. Each combination of origin and connection
 * options has its own pool, with one connection per concurrent request. The guard checks the address whenever
 * a connection is opened, but not when it is reused. After a change of the allowed networks, requests use new
 * pools, and the idle connections of the earlier pools expire. The transport limits only the time for the
 * handshake; callers must enforce all other deadlines.
 */
export function createUpstreamHttpTransport(guard?: OutboundGuard): UpstreamTransport {
  const origins = new ConnectionPools<OriginConnectionPool>();
  const uploads = new ConnectionPools<UploadConnectionPool>();

  /** Returns the guard of the organization. It is created with a pool and not for each request. */
  function guardFor({ orgId, unguarded }: UpstreamRequest): OutboundGuard | undefined {
    if (unguarded) return undefined;
    return orgId === undefined ? guard : guard?.forOrg(orgId);
  }

  /** Returns the pool for the connection options of a request. Creates the pool if there is none. */
  function poolOf<Pool extends OriginConnectionPool | UploadConnectionPool>(
    pools: ConnectionPools<Pool>,
    Kind: new (origin: URL, connect: SocketConnector) => Pool,
    request: UpstreamRequest,
  ): Pool {
    const key = connectionPoolKey(request, guard?.settingsVersion() ?? 0);
    let pool = pools.get(key);
    if (!pool) {
      const { connectMs, via } = request;
      const origin = new URL(request.origin);
      pool = new Kind(origin, createSocketConnector(origin, via, connectMs, guardFor(request)));
      pools.add(key, pool);
    }
    return pool;
  }

  return {
    dispatch(request, handler) {
      const { body } = request;
      try {
        return body === null || Buffer.isBuffer(body)
          ? poolOf(origins, OriginConnectionPool, request).dispatch(request, body, handler)
          : poolOf(uploads, UploadConnectionPool, request).dispatch(request, body, handler);
      } catch (error) {
        return failAsynchronously(handler, error);
      }
    },
    async close() {
      await Promise.all([origins.close(), uploads.close()]);
    },
  };
}

/** Returns the key of the pool for a request. Only requests with the same key may share connections. */
function connectionPoolKey(
  { origin, connectMs, orgId = '', via, unguarded }: UpstreamRequest,
  settingsVersion: number,
): string {
  const isPlain = via === undefined && !unguarded;
  const way = `${orgId} ${settingsVersion} ${connectMs} ${origin}`;
  return isPlain ? way : `${way} ${via?.key} ${unguarded}`;
}

/** Reports asynchronously that a request cannot be sent, as for any other failure. */
function failAsynchronously(handler: UpstreamResponseHandler, error: unknown): () => void {
  let isCanceled = false;
  queueMicrotask(() => {
    if (!isCanceled) handler.onError(error instanceof Error ? error : new Error(String(error)));
  });
  return () => {
    isCanceled = true;
  };
}
