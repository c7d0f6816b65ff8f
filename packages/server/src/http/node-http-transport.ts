import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { Clock } from '../core/clock.ts';
import { createBodyTooLargeFault, requireJsonBody } from '../gateway/body-checks.ts';
import { BodyChunks } from '../gateway/body-chunks.ts';
import { BodyDeadline } from '../gateway/body-deadline.ts';
import {
  ClientDisconnectedError,
  type ClientTransport,
  type RequestBodyCapacity,
} from '../gateway/client-call.ts';
import { markConnectionAuthenticated } from './unauthenticated-connection-limiter.ts';

/** A rejected body is read and discarded up to this size, so that the client can read the response. */
const LINGER_BYTES = 64 * 1024 * 1024;
const LINGER_MS = 10_000;
/** Each piece of a rejected body counts as this many bytes, because the parser uses time for each chunk. */
const MIN_LINGER_PIECE_BYTES = 4 * 1024;
const MAX_SINGLE_WRITE_BYTES = 16 * 1024;

const endListeners = new WeakMap<Socket, Set<() => void>>();

/**
 * Calls back when the peer has ended its sending side. Uses one listener for all requests of a connection.
 * Returns a function that cancels it.
 */
function onSocketEnd(socket: Socket, callback: () => void): () => void {
  const known = endListeners.get(socket);
  const waiting = known ?? new Set<() => void>();
  waiting.add(callback);
  if (!known) {
    endListeners.set(socket, waiting);
    socket.once('end', () => {
      for (const each of waiting) each();
    });
  }
  return () => waiting.delete(callback);
}

/** The transport of a request that `node:http` parsed. */
export class NodeHttpTransport implements ClientTransport {
  readonly headers: IncomingMessage['headers'];
  readonly method: string;
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly #clock: Clock;

  constructor(req: IncomingMessage, res: ServerResponse, clock: Clock) {
    this.headers = req.headers;
    this.method = req.method ?? 'GET';
    this.#req = req;
    this.#res = res;
    this.#clock = clock;
  }

  watch(client: { leave(): void }): void {
    const res = this.#res;
    const { socket } = this.#req;
    // A client that disconnected and one that only closed its sending side look the same. Model calls cost
    // money, so both end the exchange. Without a response, nothing else would close the connection.
    const forget = onSocketEnd(socket, () => {
      client.leave();
      socket.destroySoon();
    });
    res.on('close', () => {
      forget();
      if (!res.writableFinished) client.leave();
    });
  }

  markAuthenticated(): void {
    markConnectionAuthenticated(this.#req.socket);
  }

  readBody(limitBytes: number, capacity: RequestBodyCapacity | null): Promise<Buffer> {
    const req = this.#req;
    requireJsonBody(req.headers);
    if (Number(req.headers['content-length'] ?? 0) > limitBytes) throw createBodyTooLargeFault(limitBytes);
    return new Promise((resolve, reject) => {
      const pieces = new BodyChunks();
      const settle = (failure: Error | null) => {
        deadline.cancel();
        req.off('data', take).off('end', whole).off('close', gone).off('error', gone);
        // A reset may still emit 'error' after the listener is removed. An unhandled one would end the
        // process.
        req.on('error', ignore);
        const error = failure ?? capacity?.endBody();
        if (error) reject(error);
        else resolve(pieces.take());
      };
      const deadline = new BodyDeadline(this.#clock, settle);
      const take = (piece: Buffer) => {
        if (pieces.size + piece.length > limitBytes) return settle(createBodyTooLargeFault(limitBytes));
        if (capacity && !capacity.tryTakeBodyBytes(piece.length)) return settle(capacity.reject());
        pieces.append(piece);
        deadline.received(piece.length);
      };
      const whole = () => settle(null);
      const gone = () =>
        settle(new ClientDisconnectedError('the client disconnected while sending its request'));
      req.on('data', take).on('end', whole).on('close', gone).on('error', gone);
      capacity?.beginBody(settle);
    });
  }

  get connection(): object {
    return this.#req.socket;
  }

  get target(): string {
    return this.#req.url ?? '/';
  }

  get rawHeaders(): readonly string[] {
    return this.#req.rawHeaders;
  }

  get incoming(): Readable {
    return this.#req;
  }

  get headersSent(): boolean {
    return this.#res.headersSent;
  }

  setHeader(name: string, value: string): void {
    this.#res.setHeader(name, value);
  }

  sendAnswer(status: number, headers: readonly string[], body: Buffer): void {
    const res = this.#res;
    // RFC 9110 section 8.6: a 204 has no content length.
    const length = status === 204 ? [] : ['content-length', String(body.length)];
    res.writeHead(status, [...headers, ...length]);
    if (!this.#req.complete) this.#linger(body);
    // A short body as Latin-1 text is written together with its head in one write.
    else if (body.length <= MAX_SINGLE_WRITE_BYTES) res.end(body.toString('latin1'), 'latin1');
    else res.end(body);
  }

  startAnswer(status: number, headers: readonly string[]): void {
    this.#res.writeHead(status, [...headers]);
  }

  write(bytes: Buffer | string): boolean {
    return this.#res.write(bytes);
  }

  onDrain(callback: () => void): void {
    this.#res.once('drain', callback);
  }

  end(): void {
    this.#res.end();
    if (!this.#req.complete) this.#throwAway();
  }

  abort(): void {
    // Send the output of this turn in one write at its end.
    const { socket } = this.#req;
    process.nextTick(() => socket.destroySoon());
  }

  /**
   * Discards the rest of the body for a while, because the upstream responded before it had all of it and the
   * connection should survive.
   */
  #throwAway(): void {
    const { socket } = this.#req;
    let discarded = 0;
    const timer = this.#clock.after(LINGER_MS, () => socket.destroy());
    this.#req
      .on('data', (piece: Buffer) => {
        discarded += Math.max(piece.length, MIN_LINGER_PIECE_BYTES);
        if (discarded > LINGER_BYTES) socket.destroy();
      })
      .on('error', ignore)
      .once('close', () => timer.cancel())
      .once('end', () => timer.cancel())
      .resume();
  }

  /** RFC 9112 section 9.6: closing with unread input resets the connection and loses the response. */
  #linger(bytes: Buffer): void {
    const req = this.#req;
    const res = this.#res;
    let drained = 0;
    const over = (whole: boolean) => {
      timer.cancel();
      req.off('data', count);
      if (whole) res.end();
      else req.socket.destroy();
    };
    const count = (piece: Buffer) => {
      drained += Math.max(piece.length, MIN_LINGER_PIECE_BYTES);
      if (drained > LINGER_BYTES) over(false);
    };
    const timer = this.#clock.after(LINGER_MS, () => over(false));
    req
      .on('data', count)
      .once('end', () => over(true))
      .on('error', ignore);
    res.write(bytes);
    req.resume();
  }
}

function ignore(): void {
  // 'close' reports the end of the connection.
}
