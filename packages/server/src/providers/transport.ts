import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import Pool from 'undici/lib/dispatcher/pool.js';
import type { OutboundGuard } from '../core/outbound.ts';
import { openConnector } from './connector.ts';
import type { Via } from './outbound.ts';
import type { Signing } from './signing/signing.ts';

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

export class Cancelled extends Error {
  override readonly name = 'Cancelled';
}

/**
 * HTTP/1.1 with keep-alive pools, one per origin, as many connections as there are requests under way.
 * With a guard, each address is judged when it is connected to; a request on a warm connection costs nothing.
 * undici's own header and body timeouts are off: the exchange keeps its deadlines with an injected clock.
 */
export function createHttpTransport(guard?: OutboundGuard): Transport {
  const pools = new Map<string, Pool>();

  function poolFor({ origin, connectMs, via, unguarded }: UpstreamRequest): Pool {
    const isPlain = via === undefined && !unguarded;
    const key = isPlain ? `${connectMs} ${origin}` : `${connectMs} ${origin} ${via?.key} ${unguarded}`;
    let pool = pools.get(key);
    if (!pool) {
      pool = new Pool(origin, {
        connections: null,
        pipelining: 1,
        allowH2: false,
        headersTimeout: 0,
        bodyTimeout: 0,
        keepAliveTimeout: 30_000,
        keepAliveMaxTimeout: 300_000,
        maxHeaderSize: 64 * 1024,
        connect: openConnector(new URL(origin), via, connectMs, unguarded ? undefined : guard),
      });
      pools.set(key, pool);
    }
    return pool;
  }

  return {
    dispatch(request, handler) {
      const call = new Call(handler);
      const { path, headers, body } = request;
      try {
        poolFor(request).dispatch({ method: methodOf(request), path, headers: [...headers], body }, call);
      } catch (error) {
        // An address or a header that cannot be sent at all: told as every other failure is, after this turn.
        queueMicrotask(() => call.refuse(error));
      }
      return () => call.cancel();
    },
    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()));
      pools.clear();
    },
  };
}

/** undici names the methods it knows; any token is one to it. */
function methodOf({ method }: UpstreamRequest): Dispatcher.HttpMethod {
  return isMethod(method) ? method : 'GET';
}

function isMethod(method: string): method is Dispatcher.HttpMethod {
  return /^[A-Z-]+$/.test(method);
}

type Controller = Dispatcher.DispatchController;

/** Adapts undici's handler. A request still queued for a socket has no controller to abort yet. */
class Call implements Dispatcher.DispatchHandler {
  #handler: UpstreamHandler;
  #controller: Controller | null = null;
  #over = false;

  constructor(handler: UpstreamHandler) {
    this.#handler = handler;
  }

  /** The request could not even begin. */
  refuse(error: unknown): void {
    if (this.#over) return;
    this.#over = true;
    this.#handler.onError(error instanceof Error ? error : new Error(String(error)));
  }

  cancel(): void {
    if (this.#over) return;
    this.#over = true;
    this.#controller?.abort(new Cancelled('cancelled'));
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    if (this.#over) controller.abort(new Cancelled('cancelled'));
    else this.#handler.onConnected();
  }

  onResponseStart(controller: Controller, status: number, headers: UpstreamHeaders): void {
    // 100 and 103 announce an answer, they are none.
    if (!this.#over && status >= 200) this.#handler.onHead(status, headers, controller);
  }

  onResponseData(_: Controller, chunk: Buffer): void {
    if (!this.#over) this.#handler.onData(chunk);
  }

  onResponseEnd(): void {
    if (this.#over) return;
    this.#over = true;
    this.#handler.onEnd();
  }

  onResponseError(_: Controller, error: Error): void {
    if (this.#over) return;
    this.#over = true;
    this.#handler.onError(error);
  }
}
