import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { TestGate } from './gate.ts';
import { type HeaderLine, type Http1MessageHead, Http1MessageReader } from './http1-reader.ts';

/** A request in its exact form on the wire. */
export interface RawRequest {
  readonly method?: string;
  /** Request target, sent unchanged. */
  readonly path: string;
  /** Sent in this order and spelling, with repetitions. `host` and `content-length` are added if absent. */
  readonly headers?: readonly HeaderLine[];
  readonly body?: string | Buffer;
}

/** A response in its exact form on the wire. */
export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly rawHeaders: readonly HeaderLine[];
  /** Statuses of preceding interim (1xx) responses. */
  readonly interim: readonly number[];
  /** Body without its framing. */
  readonly body: Buffer;
  /** Whether the body ended as its framing requires. False if the connection ended first. */
  readonly isComplete: boolean;
}

/** The stages of a request at which a client may disconnect. */
export const DISCONNECT_STAGES = [
  'inside-headers',
  'after-headers',
  'inside-body',
  'after-request',
  'after-first-answer-byte',
] as const;
/** A stage at which a client may disconnect. */
export type DisconnectStage = (typeof DISCONNECT_STAGES)[number];

interface OpenAnswer {
  readonly head: Http1MessageHead;
  readonly interim: readonly number[];
  readonly parts: Buffer[];
}

/**
 * A client with full control over one connection. It reads only when a method is called. If a test
 * does not read, the socket buffers fill up and block the peer.
 */
export class RawClient {
  readonly #socket: Socket;
  readonly #answers: RawResponse[] = [];
  readonly #reader: Http1MessageReader;
  #open: OpenAnswer | undefined;
  #interim: number[] = [];
  #waitForEnd = false;
  #broken: string | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    const end = () => {
      this.#waitForEnd = true;
    };
    socket.on('end', end);
    socket.on('close', end);
    socket.on('error', end);
    this.#reader = new Http1MessageReader('response', {
      head: (head) => this.#startAnswer(head),
      data: (bytes) => void this.#open?.parts.push(bytes),
      end: () => this.#finishAnswer(true),
      broken: (reason) => {
        if (this.#open) this.#finishAnswer(false);
        else this.#broken = reason;
      },
    });
  }

  /** Connects to the host and port of `url`. */
  static async connect(url: string): Promise<RawClient> {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), noDelay: true, allowHalfOpen: true });
    await once(socket, 'connect');
    return new RawClient(socket);
  }

  /** Sends exactly these bytes. Resolves when the kernel has accepted them or the connection is closed. */
  send(bytes: string | Buffer): Promise<void> {
    return new Promise((resolve) => {
      this.#socket.write(typeof bytes === 'string' ? Buffer.from(bytes) : bytes, () => resolve());
    });
  }

  /** Sends in chunks of `pieceBytes` and waits at the gate before each, to simulate a slow writer. */
  async sendSlowly(bytes: string | Buffer, pieceBytes: number, gate: TestGate): Promise<void> {
    const all = Buffer.from(bytes);
    for (let from = 0; from < all.length && !this.#socket.destroyed; from += pieceBytes) {
      await gate.pass();
      await this.send(all.subarray(from, from + pieceBytes));
    }
  }

  /**
   * Reads up to `count` raw bytes. Empty at the end of the connection. For slow readers. `readAnswer` does
   * not see these bytes.
   */
  async readBytes(count: number): Promise<Buffer> {
    for (;;) {
      const bytes: Buffer | null = this.#socket.read(Math.min(count, this.#socket.readableLength || count));
      if (bytes) return bytes;
      if (this.#waitForEnd) return Buffer.alloc(0);
      await this.#waitForChange();
    }
  }

  /**
   * Reads the next response of this connection. Pipelined responses are returned one by one.
   *
   * @throws Error if the connection ends or is not HTTP before a response starts
   */
  async readAnswer(): Promise<RawResponse> {
    for (;;) {
      const done = this.#answers.shift();
      if (done) return done;
      if (this.#broken !== undefined) throw new Error(`not an answer: ${this.#broken}`);
      const bytes = await this.readBytes(65_536);
      if (bytes.length > 0) {
        this.#reader.push(bytes);
        continue;
      }
      const began = this.#open !== undefined;
      this.#reader.close();
      if (!began && this.#broken === undefined)
        throw new Error('the connection ended before an answer began');
    }
  }

  /** Closes the sending side (FIN) and continues to read. */
  halfClose(): void {
    this.#socket.end();
  }

  /** Closes both sides (FIN) and drops unread bytes. */
  hangUp(): void {
    this.#socket.destroy();
  }

  /** Closes the connection with RST. */
  reset(): void {
    this.#socket.resetAndDestroy();
  }

  /** Resolves when the peer has closed its side and all earlier bytes were read. */
  async waitForEnd(): Promise<void> {
    while ((await this.readBytes(65_536)).length > 0);
  }

  #startAnswer(head: Http1MessageHead): void {
    const status = statusOf(head);
    if (status < 200) this.#interim.push(status);
    else {
      this.#open = { head, interim: this.#interim, parts: [] };
      this.#interim = [];
    }
  }

  #finishAnswer(complete: boolean): void {
    if (!this.#open) return;
    const { head, interim, parts } = this.#open;
    const { headers, rawHeaders } = head;
    this.#answers.push({
      status: statusOf(head),
      headers,
      rawHeaders,
      interim,
      body: Buffer.concat(parts),
      isComplete: complete,
    });
    this.#open = undefined;
  }

  #waitForChange(): Promise<unknown> {
    const settled = new AbortController();
    const { signal } = settled;
    return Promise.race(['readable', 'end', 'close'].map((event) => once(this.#socket, event, { signal })))
      .catch(() => undefined)
      .finally(() => settled.abort());
  }
}

/** Returns the bytes of a request, with defaults for absent parts. */
export function encodeRawRequest(request: RawRequest): Buffer {
  const { head, body } = requestParts(request);
  return Buffer.concat([head, body]);
}

/** Sends all requests at once on one connection and reads their responses in order. */
export async function sendPipelined(
  url: string,
  requests: readonly RawRequest[],
): Promise<readonly RawResponse[]> {
  const client = await RawClient.connect(url);
  await client.send(Buffer.concat(requests.map(encodeRawRequest)));
  const answers: RawResponse[] = [];
  for (const _ of requests) answers.push(await client.readAnswer());
  client.hangUp();
  return answers;
}

/** Sends `request` up to `stage`, and then disconnects. Uses RST if `reset` is set. */
export async function sendAndDisconnect(
  url: string,
  stage: DisconnectStage,
  request: RawRequest,
  reset = false,
): Promise<void> {
  const client = await RawClient.connect(url);
  const { head, body } = requestParts(request);
  const sent: Record<DisconnectStage, Buffer> = {
    'inside-headers': head.subarray(0, Math.ceil(head.length / 2)),
    'after-headers': head,
    'inside-body': Buffer.concat([head, body.subarray(0, Math.ceil(body.length / 2))]),
    'after-request': Buffer.concat([head, body]),
    'after-first-answer-byte': Buffer.concat([head, body]),
  };
  await client.send(sent[stage]);
  if (stage === 'after-first-answer-byte') await client.readBytes(1);
  if (reset) client.reset();
  else client.hangUp();
}

/**
 * Returns header lines with slightly more than `totalBytes` bytes, to test limits on the size of a
 * head.
 */
export function createPaddingHeaders(totalBytes: number, lineBytes = 1000): readonly HeaderLine[] {
  const count = Math.ceil(totalBytes / lineBytes);
  return Array.from({ length: count }, (_, n) => [`x-padding-${n}`, 'p'.repeat(lineBytes)]);
}

function requestParts({ method, path, headers = [], body = '' }: RawRequest): { head: Buffer; body: Buffer } {
  const bytes = Buffer.from(body);
  const given = new Set(headers.map(([name]) => name.toLowerCase()));
  const lines = [`${method ?? (bytes.length > 0 ? 'POST' : 'GET')} ${path} HTTP/1.1`];
  if (!given.has('host')) lines.push('host: 127.0.0.1');
  for (const [name, value] of headers) lines.push(`${name}: ${value}`);
  const isFramed = given.has('content-length') || given.has('transfer-encoding');
  if (bytes.length > 0 && !isFramed) lines.push(`content-length: ${bytes.length}`);
  return { head: Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body: bytes };
}

function statusOf(head: Http1MessageHead): number {
  return Number(head.startLine.split(' ')[1]);
}
