import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import Pool from 'undici/lib/dispatcher/pool.js';
import type { SocketConnector } from './socket-connector.ts';
import type { UpstreamHandler, UpstreamHeaders, UpstreamRequest } from './transport.ts';

/** Why undici is told to break a call off. */
class CancelledError extends Error {
  override readonly name = 'CancelledError';
}

/**
 * Requests to one origin that stream their body up go through undici: its care for a body that is slow, ends early or
 * is answered before its end is worth more there than the CPU it costs.
 */
export class UploadPool {
  readonly #pool: Pool;

  constructor(origin: URL, connect: SocketConnector) {
    this.#pool = new Pool(origin, {
      connections: null,
      pipelining: 1,
      allowH2: false,
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: 30_000,
      keepAliveMaxTimeout: 300_000,
      maxHeaderSize: 64 * 1024,
      connect,
    });
  }

  /** Returns the way to cancel. @throws what undici says of a request that cannot be sent */
  dispatch(request: UpstreamRequest, body: Readable, handler: UpstreamHandler): () => void {
    const call = new UploadCall(handler);
    const { path, headers } = request;
    this.#pool.dispatch({ method: methodOf(request), path, headers: [...headers], body }, call);
    return () => call.cancel();
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }
}

/** undici names the methods it knows; any token is one to it. */
function methodOf({ method }: UpstreamRequest): Dispatcher.HttpMethod {
  return isMethod(method) ? method : 'GET';
}

function isMethod(method: string): method is Dispatcher.HttpMethod {
  return /^[A-Z-]+$/.test(method);
}

type UndiciController = Dispatcher.DispatchController;

/** Adapts undici's handler. A request still queued for a socket has no controller to abort yet. */
class UploadCall implements Dispatcher.DispatchHandler {
  #handler: UpstreamHandler;
  #controller: UndiciController | null = null;
  #over = false;

  constructor(handler: UpstreamHandler) {
    this.#handler = handler;
  }

  cancel(): void {
    if (this.#over) return;
    this.#over = true;
    this.#controller?.abort(new CancelledError('canceled'));
  }

  onRequestStart(controller: UndiciController): void {
    this.#controller = controller;
    if (this.#over) controller.abort(new CancelledError('canceled'));
    else this.#handler.onConnected();
  }

  onResponseStart(controller: UndiciController, status: number, headers: UpstreamHeaders): void {
    // 100 and 103 announce an answer, they are none.
    if (!this.#over && status >= 200) this.#handler.onHead(status, headers, controller);
  }

  onResponseData(_: UndiciController, chunk: Buffer): void {
    if (!this.#over) this.#handler.onData(chunk);
  }

  onResponseEnd(): void {
    if (this.#over) return;
    this.#over = true;
    this.#handler.onEnd();
  }

  onResponseError(_: UndiciController, error: Error): void {
    if (this.#over) return;
    this.#over = true;
    this.#handler.onError(error);
  }
}
