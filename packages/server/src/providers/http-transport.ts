import type { OutboundGuard } from '../core/outbound-guard.ts';
import { OriginPool } from './http1/origin-pool.ts';
import { createSocketConnector, type SocketConnector } from './socket-connector.ts';
import type { Transport, UpstreamHandler, UpstreamRequest } from './transport.ts';
import { UploadPool } from './upload-pool.ts';

/**
 * HTTP/1.1 with keep-alive connections, one pool per origin and way, as many connections as there are requests
 * under way. With a guard, each address is judged when it is connected to; a request on a warm connection costs
 * nothing. No deadline but the handshake's: the exchange keeps its own with an injected clock.
 */
export function createHttpTransport(guard?: OutboundGuard): Transport {
  const origins = new Map<string, OriginPool>();
  const uploads = new Map<string, UploadPool>();

  /** The pool for the request's way, opened by the first request that needs it. */
  function poolOf<Pool>(
    pools: Map<string, Pool>,
    Kind: new (origin: URL, connect: SocketConnector) => Pool,
    request: UpstreamRequest,
  ): Pool {
    const key = connectionPoolKey(request);
    let pool = pools.get(key);
    if (!pool) {
      const { connectMs, via, unguarded } = request;
      const origin = new URL(request.origin);
      pool = new Kind(origin, createSocketConnector(origin, via, connectMs, unguarded ? undefined : guard));
      pools.set(key, pool);
    }
    return pool;
  }

  return {
    dispatch(request, handler) {
      const { body } = request;
      try {
        return body === null || Buffer.isBuffer(body)
          ? poolOf(origins, OriginPool, request).dispatch(request, body, handler)
          : poolOf(uploads, UploadPool, request).dispatch(request, body, handler);
      } catch (error) {
        return failAsynchronously(handler, error);
      }
    },
    async close() {
      for (const origin of origins.values()) origin.close();
      origins.clear();
      await Promise.all([...uploads.values()].map((pool) => pool.close()));
      uploads.clear();
    },
  };
}

/** Requests that go the same way may share connections. */
function connectionPoolKey({ origin, connectMs, pool = '', via, unguarded }: UpstreamRequest): string {
  const isPlain = via === undefined && !unguarded;
  const way = `${pool} ${connectMs} ${origin}`;
  return isPlain ? way : `${way} ${via?.key} ${unguarded}`;
}

/** What cannot be sent at all is told as every other failure is, after this turn. */
function failAsynchronously(handler: UpstreamHandler, error: unknown): () => void {
  let isCancelled = false;
  queueMicrotask(() => {
    if (!isCancelled) handler.onError(error instanceof Error ? error : new Error(String(error)));
  });
  return () => {
    isCancelled = true;
  };
}
