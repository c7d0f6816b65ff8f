import type { Readable } from 'node:stream';
import type { OutboundGuard } from '../core/outbound.ts';
import { openConnector } from './connector.ts';
import { Origin } from './http1/origin.ts';
import type { Via } from './outbound.ts';
import type { Signing } from './signing/signing.ts';
import { Uploads } from './uploads.ts';

/** One request to an upstream. Headers are a flat list: name, value, name, value … */
export interface UpstreamRequest {
  readonly method: string;
  readonly origin: string;
  readonly path: string;
  readonly headers: readonly string[];
  /** A stream is sent as it comes and read no faster than the upstream takes it. */
  readonly body: Buffer | Readable | null;
  /** Deadline for the TCP and TLS handshake. */
  readonly connectMs: number;
  /** Proxy, authorities and client certificate, where any were configured. */
  readonly via?: Via | undefined;
  /** Requests of different pools never share a connection: a late answer of one cannot be taken for another's. */
  readonly pool?: string | undefined;
  /** To a metadata service the operator told us to ask: the one call that may reach link-local addresses. */
  readonly unguarded?: boolean | undefined;
  /** Who signs it on its way out, where a key alone is no credential. */
  readonly signing?: Signing | undefined;
}

/** The brakes of an answer under way. */
export interface Flow {
  pause(): void;
  resume(): void;
}

/** What an upstream's answer calls, in this order. Exactly one of `onEnd` and `onError` comes last. */
export interface UpstreamHandler {
  /** The request is on a connected socket; from here on `abort` closes it. */
  onConnected(): void;
  onHead(status: number, headers: UpstreamHeaders, flow: Flow): void;
  onData(chunk: Buffer): void;
  onEnd(): void;
  onError(error: Error): void;
}

export type UpstreamHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** A way to reach upstreams. `dispatch` never throws and returns the way to cancel. */
export interface Transport {
  dispatch(request: UpstreamRequest, handler: UpstreamHandler): () => void;
  close(): Promise<void>;
}

/**
 * HTTP/1.1 with keep-alive connections, one pool per origin and way, as many connections as there are requests
 * under way. With a guard, each address is judged when it is connected to; a request on a warm connection costs
 * nothing. No deadline but the handshake's: the exchange keeps its own with an injected clock.
 */
export function createHttpTransport(guard?: OutboundGuard): Transport {
  const origins = new Map<string, Origin>();
  const uploads = new Uploads();

  function connectorOf({ origin, connectMs, via, unguarded }: UpstreamRequest) {
    return openConnector(new URL(origin), via, connectMs, unguarded ? undefined : guard);
  }

  function originOf(request: UpstreamRequest): Origin {
    const key = wayOf(request);
    let origin = origins.get(key);
    if (!origin) {
      origin = new Origin(new URL(request.origin), connectorOf(request));
      origins.set(key, origin);
    }
    return origin;
  }

  return {
    dispatch(request, handler) {
      const { body } = request;
      try {
        return body === null || Buffer.isBuffer(body)
          ? originOf(request).dispatch(request, body, handler)
          : uploads.dispatch(request, body, wayOf(request), connectorOf, handler);
      } catch (error) {
        return refuseLater(handler, error);
      }
    },
    async close() {
      for (const origin of origins.values()) origin.close();
      origins.clear();
      await uploads.close();
    },
  };
}

/** Requests that go the same way may share connections. */
function wayOf({ origin, connectMs, pool = '', via, unguarded }: UpstreamRequest): string {
  const isPlain = via === undefined && !unguarded;
  const way = `${pool} ${connectMs} ${origin}`;
  return isPlain ? way : `${way} ${via?.key} ${unguarded}`;
}

/** What cannot be sent at all is told as every other failure is, after this turn. */
function refuseLater(handler: UpstreamHandler, error: unknown): () => void {
  let isCancelled = false;
  queueMicrotask(() => {
    if (!isCancelled) handler.onError(error instanceof Error ? error : new Error(String(error)));
  });
  return () => {
    isCancelled = true;
  };
}
