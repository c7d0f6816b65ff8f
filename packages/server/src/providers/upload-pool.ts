import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import Pool from 'undici/lib/dispatcher/pool.js';
import type { SocketConnector } from './socket-connector.ts';
import type { UpstreamHeaders, UpstreamRequest, UpstreamResponseHandler } from './transport.ts';

/** The reason that is passed to undici for a cancelled call. */
class CanceledError extends Error {
  override readonly name = 'CanceledError';
}

/**
 * Sends requests with streamed bodies to one origin through undici. Undici takes more CPU time than
 * `OriginConnectionPool`, but it handles responses that are slow, truncated, or sent before the request is
 * complete. Such responses are common for uploads.
 */
export class UploadConnectionPool {
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

  /**
   * Sends a request. Returns a function that cancels it.
   * @throws the error of undici for a request that cannot be sent
   */
  dispatch(request: UpstreamRequest, body: Readable, handler: UpstreamResponseHandler): () => void {
    const call = new UploadCall(handler);
    const { path, headers } = request;
    this.#pool.dispatch({ method: methodOf(request), path, headers: [...headers], body }, call);
    return () => call.cancel();
  }

  /** Whether the pool has no connection and no request. */
  get isUnused(): boolean {
    const { connected, size } = this.#pool.stats;
    return connected === 0 && size === 0;
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }
}

/**
 * Returns the method with the type of undici. The type lists only known methods, but undici accepts any
 * token.
 */
function methodOf({ method }: UpstreamRequest): Dispatcher.HttpMethod {
  return isMethod(method) ? method : 'GET';
}

function isMethod(method: string): method is Dispatcher.HttpMethod {
  return /^[A-Z-]+$/.test(method);
}

type UndiciController = Dispatcher.DispatchController;

/**
 * Adapts a handler to undici. A request that waits for a socket does not have a controller to abort it yet.
 */
class UploadCall implements Dispatcher.DispatchHandler {
  #handler: UpstreamResponseHandler;
  #controller: UndiciController | null = null;
  #over = false;

  constructor(handler: UpstreamResponseHandler) {
    this.#handler = handler;
  }

  cancel(): void {
    if (this.#over) return;
    this.#over = true;
    this.#controller?.abort(new CanceledError('canceled'));
  }

  onRequestStart(controller: UndiciController): void {
    this.#controller = controller;
    if (this.#over) controller.abort(new CanceledError('canceled'));
    else this.#handler.onConnected();
  }

  onResponseStart(controller: UndiciController, status: number, headers: UpstreamHeaders): void {
    // 100 and 103 are interim responses.
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
