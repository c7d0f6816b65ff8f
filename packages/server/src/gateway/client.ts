import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { Fault } from '@floe/contract/faults';
import type { Clock } from '../core/clock.ts';
import type { BodyTape } from './bodies/body-tape.ts';
import type { Tape } from './cache/tape.ts';

/** A refused body is read and thrown away up to here, so that the sender gets to read the refusal. */
const LINGER_BYTES = 64 * 1024 * 1024;
const LINGER_MS = 10_000;
/** How long a body may take to begin, and how slowly it may go on: each KB buys a second. */
const BODY_PATIENCE_MS = 30_000;
const BODY_BYTES_PER_SECOND = 1024;
const ONE_WRITE_BYTES = 16 * 1024;

/** The client closed its connection; nobody is left to answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

/** Resolves after `ms`; rejects with `ClientGone` as soon as the client leaves. */
export function pauseUnlessGone(client: Client, clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(ms, () => {
      client.onGone = null;
      resolve();
    });
    const leave = () => {
      timer.cancel();
      reject(new ClientGone('the client left'));
    };
    client.onGone = leave;
    if (client.gone) leave();
  });
}

/** One client request and its answer: the only place in the gateway that knows `node:http`. */
export class Client {
  readonly id: string;
  readonly headers: IncomingMessage['headers'];
  readonly method: string;
  /** Called once when the client leaves before its answer is whole. */
  onGone: (() => void) | null = null;
  gone = false;
  bytesOut = 0;
  /** Takes down the answer's body as it is told. */
  tape: Tape | null = null;
  /** The same for an org that keeps bodies, errors included. */
  bodyTape: BodyTape | null = null;
  #req: IncomingMessage;
  #res: ServerResponse;
  #clock: Clock;

  constructor(id: string, req: IncomingMessage, res: ServerResponse, clock: Clock) {
    this.id = id;
    this.headers = req.headers;
    this.method = req.method ?? 'GET';
    this.#req = req;
    this.#res = res;
    this.#clock = clock;
    res.on('close', () => {
      if (res.writableFinished) return;
      this.gone = true;
      this.onGone?.();
    });
  }

  /**
   * The whole body. Throws `request_too_large`, `unsupported_media_type`, `request_timeout` when it stalls for
   * 30 s or drips slower than 1 KB a second, and `ClientGone` when the connection closes first.
   */
  readBody(limitBytes: number): Promise<Buffer> {
    const req = this.#req;
    refuseEncoding(req);
    if (Number(req.headers['content-length'] ?? 0) > limitBytes) throw tooLarge(limitBytes);
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let size = 0;
      const clock = this.#clock;
      // One timer however many pieces come: when it rings early it is set again for what is left.
      const startedAt = clock.monotonic();
      let lastAt = startedAt;
      const ring = () => {
        const boughtMs = (size / BODY_BYTES_PER_SECOND) * 1000;
        const until = Math.min(lastAt, startedAt + boughtMs) + BODY_PATIENCE_MS;
        const left = until - clock.monotonic();
        if (left > 0) timer = clock.after(left, ring);
        else settle(new Fault('request_timeout', 'The request body stopped arriving for 30 seconds.'));
      };
      let timer = clock.after(BODY_PATIENCE_MS, ring);
      const settle = (failure: Error | null) => {
        timer.cancel();
        req.off('data', take).off('end', whole).off('close', gone).off('error', gone);
        // A reset may still raise 'error' after we stopped listening; unheard it would end the process.
        req.on('error', ignore);
        if (failure) reject(failure);
        else resolve(chunks.length === 1 && chunks[0] ? chunks[0] : joined(chunks, size));
      };
      const take = (chunk: Buffer) => {
        size += chunk.length;
        if (size > limitBytes) return settle(tooLarge(limitBytes));
        chunks.push(chunk);
        lastAt = clock.monotonic();
      };
      const whole = () => settle(null);
      const gone = () => settle(new ClientGone('the client left while sending its request'));
      req.on('data', take).on('end', whole).on('close', gone).on('error', gone);
    });
  }

  /** Request target as it was sent, query included. */
  get target(): string {
    return this.#req.url ?? '/';
  }

  /** Header names and values as they were sent, flat, repeats included. */
  get rawHeaders(): readonly string[] {
    return this.#req.rawHeaders;
  }

  /** The body as it arrives, for a request that is not read whole. */
  get incoming(): Readable {
    return this.#req;
  }

  /** A header of whatever answer this request gets. */
  always(name: string, value: string): void {
    this.#res.setHeader(name, value);
  }

  /** Sends a whole answer. `headers` is a flat list of names and values. */
  answer(status: number, headers: readonly string[], body: Buffer | string): void {
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    const res = this.#res;
    if (res.headersSent || this.gone) return;
    // RFC 9110 section 8.6: no length beside a 204.
    const length = status === 204 ? [] : ['content-length', String(bytes.length)];
    res.writeHead(status, [...headers, ...length]);
    this.bytesOut += bytes.length;
    this.tape?.add(bytes);
    this.bodyTape?.add(bytes);
    if (!this.#req.complete) this.#linger(bytes);
    // As Latin-1 text a short body leaves in one write with its head instead of a gathered one.
    else if (bytes.length <= ONE_WRITE_BYTES) res.end(bytes.toString('latin1'), 'latin1');
    else res.end(bytes);
  }

  /** Starts an answer whose end is not known yet. */
  open(status: number, headers: readonly string[]): void {
    this.#res.writeHead(status, [...headers]);
  }

  /** False when the client reads slower than the upstream writes; `onDrain` tells when to go on. */
  write(bytes: Buffer | string): boolean {
    this.bytesOut += typeof bytes === 'string' ? Buffer.byteLength(bytes) : bytes.length;
    this.tape?.add(bytes);
    this.bodyTape?.add(bytes);
    return this.#res.write(bytes);
  }

  /** What is no part of the answer: nothing of it is kept. */
  comment(text: string): void {
    this.bytesOut += Buffer.byteLength(text);
    this.#res.write(text);
  }

  onDrain(callback: () => void): void {
    this.#res.once('drain', callback);
  }

  end(): void {
    this.#res.end();
    if (!this.#req.complete) this.#throwAway();
  }

  /** Breaks a streamed answer off: what was written goes out, and its framing never ends. */
  breakOff(): void {
    this.#req.socket.destroySoon();
  }

  /** An upstream answered before it had the whole body: the rest is read for a while, for the connection's sake. */
  #throwAway(): void {
    const { socket } = this.#req;
    const limit = socket.bytesRead + LINGER_BYTES;
    const timer = this.#clock.after(LINGER_MS, () => socket.destroy());
    this.#req
      .on('data', () => {
        if (socket.bytesRead > limit) socket.destroy();
      })
      .on('error', ignore)
      .once('close', () => timer.cancel())
      .once('end', () => timer.cancel())
      .resume();
  }

  /** Ends a streamed answer after an error was told inside it, and closes the connection. */
  endBroken(bytes: string): void {
    this.bytesOut += Buffer.byteLength(bytes);
    this.bodyTape?.add(bytes);
    this.#res.shouldKeepAlive = false;
    this.#res.end(bytes, () => this.#req.socket.end());
  }

  /** RFC 9112 section 9.6: closing with unread input resets the connection and loses the answer. */
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
    const count = (chunk: Buffer) => {
      drained += chunk.length;
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
  // The connection's end is already known from 'close'.
}

function tooLarge(limitBytes: number): Fault {
  return new Fault(
    'request_too_large',
    `The request body is larger than ${Math.floor(limitBytes / (1024 * 1024))} MB.`,
  );
}

function refuseEncoding(req: IncomingMessage): void {
  const encoding = req.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity')
    throw new Fault(
      'unsupported_media_type',
      `The request body is encoded as "${encoding}"; send it plain (identity).`,
    );
  const type = req.headers['content-type'];
  if (type === undefined || /^\s*application\/(?:[\w.-]+\+)?json\b|^\s*text\/(?:json|plain)\b/i.test(type))
    return;
  throw new Fault(
    'unsupported_media_type',
    `The request body is "${type}"; send JSON with content-type: application/json.`,
  );
}

/** The pieces as one; their memory is given back at once, for the collector would only come by for it late. */
function joined(pieces: readonly Buffer[], size: number): Buffer {
  const whole = Buffer.concat(pieces, size);
  for (const { buffer, length } of pieces)
    if (buffer instanceof ArrayBuffer && buffer.byteLength === length) buffer.transfer(0);
  return whole;
}
