import { getHostWithoutBrackets } from '../../core/network.ts';
import type { SocketConnector } from '../socket-connector.ts';
import {
  ConnectionClosedEarlyError,
  type UpstreamRequest,
  type UpstreamResponseHandler,
} from '../transport.ts';
import { Http1Connection, type InFlightHttp1Request } from './http1-connection.ts';
import { formatRequestHead } from './request-head.ts';

/** Interval at which idle connections are closed. */
const IDLE_SWEEP_MS = 1_000;

/** A request that waits for a connection or uses one. */
class PooledCall implements InFlightHttp1Request {
  readonly head: string;
  readonly body: Buffer | null;
  readonly isBodiless: boolean;
  readonly handler: UpstreamResponseHandler;
  isCanceled = false;
  #connection: Http1Connection | null = null;

  constructor(head: string, body: Buffer | null, isBodiless: boolean, handler: UpstreamResponseHandler) {
    this.head = head;
    this.body = body;
    this.isBodiless = isBodiless;
    this.handler = handler;
  }

  assignTo(connection: Http1Connection): void {
    this.#connection = connection;
    connection.send(this);
  }

  fail(error: Error): void {
    if (!this.isCanceled) this.handler.onError(error);
  }

  pause(): void {
    this.#connection?.pause(this);
  }

  resume(): void {
    this.#connection?.resume(this);
  }

  cancel(): void {
    this.isCanceled = true;
    this.#connection?.cancel(this);
  }
}

/**
 * A pool of keep-alive connections to one origin. Each connection processes one request at a time. The
 * most recently used idle connection is reused first.
 */
export class OriginConnectionPool {
  readonly #url: URL;
  readonly #connect: SocketConnector;
  readonly #idle: Http1Connection[] = [];
  readonly #open = new Set<Http1Connection>();
  #queued: PooledCall[] = [];
  /** Number of connections that are being opened. */
  #connecting = 0;
  #sweep: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(url: URL, connect: SocketConnector) {
    this.#url = url;
    this.#connect = connect;
  }

  /** Sends a request. Returns a function that cancels it. @throws UnsendableRequestError */
  dispatch(request: UpstreamRequest, body: Buffer | null, handler: UpstreamResponseHandler): () => void {
    const { method } = request;
    const length = body?.length ?? (method === 'GET' || method === 'HEAD' ? null : 0);
    const head = formatRequestHead(request, this.#url.host, length);
    const call = new PooledCall(head, body, method === 'HEAD', handler);
    if (this.#idle.length > 0) this.#sendAfterPendingReads(call);
    else this.#connectFor(call);
    return () => call.cancel();
  }

  /** Whether the pool has no connection and no request. */
  get isUnused(): boolean {
    return this.#open.size === 0 && this.#queued.length === 0 && this.#connecting === 0;
  }

  close(): void {
    this.#isClosed = true;
    if (this.#sweep) clearInterval(this.#sweep);
    this.#sweep = null;
    for (const connection of this.#open) connection.close();
  }

  /**
   * Sends a request on an idle connection only after all pending reads. If the provider has closed the
   * connection or sent unexpected bytes, this is then detected and not treated as the response. Requests that
   * are sent together also take less time: 99 µs instead of 114 µs of CPU per forwarded request.
   */
  #sendAfterPendingReads(call: PooledCall): void {
    const send = () => {
      const due = this.#queued;
      this.#queued = [];
      for (const each of due) this.#sendNow(each);
    };
    if (this.#queued.push(call) === 1) setImmediate(send);
  }

  #sendNow(call: PooledCall): void {
    if (call.isCanceled) return;
    const rested = this.#isClosed ? null : this.#takeIdle();
    if (rested) call.assignTo(rested);
    else this.#connectFor(call);
  }

  #connectFor(call: PooledCall): void {
    const { protocol, host, port } = this.#url;
    this.#connect({ protocol, host, hostname: getHostWithoutBrackets(this.#url), port }, (error, socket) => {
      this.#connecting -= 1;
      if (error) return call.fail(error);
      if (this.#isClosed) {
        socket.destroy();
        return call.fail(new ConnectionClosedEarlyError());
      }
      const connection = new Http1Connection(socket, (freed, restMs) => this.#onIdle(freed, restMs));
      this.#open.add(connection);
      // The request was cancelled while connecting. The connection is kept for the next one.
      if (call.isCanceled) this.#onIdle(connection, IDLE_SWEEP_MS);
      else call.assignTo(connection);
    });
    // After the call, because the connector throws if a certificate of the operator is malformed.
    this.#connecting += 1;
  }

  #takeIdle(): Http1Connection | null {
    for (;;) {
      const connection = this.#idle.pop();
      if (connection === undefined) return null;
      if (connection.isOpen && performance.now() < connection.idleUntil) return connection;
      connection.close();
    }
  }

  #onIdle(connection: Http1Connection, restMs: number): void {
    if (restMs === 0 || this.#isClosed) {
      this.#open.delete(connection);
      connection.close();
      return;
    }
    connection.idleUntil = performance.now() + restMs;
    this.#idle.push(connection);
    const sweep = () => this.#closeExpired();
    this.#sweep ??= setInterval(sweep, IDLE_SWEEP_MS).unref();
  }

  #closeExpired(): void {
    const now = performance.now();
    const kept: Http1Connection[] = [];
    for (const connection of this.#idle.splice(0)) {
      if (connection.isOpen && now < connection.idleUntil) kept.push(connection);
      else connection.close();
    }
    this.#idle.push(...kept);
    if (kept.length > 0 || !this.#sweep) return;
    clearInterval(this.#sweep);
    this.#sweep = null;
  }
}
