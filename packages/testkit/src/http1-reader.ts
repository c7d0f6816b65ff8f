/** One header line as it was sent. */
export type HeaderLine = readonly [name: string, value: string];

/** The parsed head of a message. */
export interface Http1MessageHead {
  /** Request line or status line, without its line end. */
  readonly startLine: string;
  /** Names in lower case. Repeated headers are joined with `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** In original order and spelling. */
  readonly rawHeaders: readonly HeaderLine[];
}

/** The callbacks of `Http1MessageReader`. */
export interface Http1MessageCallbacks {
  head(head: Http1MessageHead): void;
  data(bytes: Buffer): void;
  /** The message is complete according to its framing (RFC 9112, section 6.3). */
  end(): void;
  /** The input is not HTTP/1.1, or the peer closed the connection inside a message. */
  broken(reason: string): void;
}

type ReaderState =
  | 'head'
  | 'sized'
  | 'chunk-size'
  | 'chunk-data'
  | 'chunk-end'
  | 'trailers'
  | 'to-close'
  | 'broken';

const LINE_END = '\r\n';
const HEAD_END = '\r\n\r\n';

/**
 * Parses HTTP/1.1 messages from chunks of any size. Used instead of node:http, because tests check
 * what node:http hides: interim responses, repeated headers, and whether a body was truncated.
 */
export class Http1MessageReader {
  readonly #kind: 'request' | 'response';
  readonly #events: Http1MessageCallbacks;
  #state: ReaderState = 'head';
  #pending: Buffer = Buffer.alloc(0);
  #remainingBytes = 0;

  constructor(kind: 'request' | 'response', events: Http1MessageCallbacks) {
    this.#kind = kind;
    this.#events = events;
  }

  push(bytes: Buffer): void {
    this.#pending = this.#pending.length === 0 ? bytes : Buffer.concat([this.#pending, bytes]);
    while (this.#pending.length > 0 && this.#advance());
  }

  /**
   * Called when the peer closed its side. Ends a message that lasts until the close. Any other incomplete
   * message is broken.
   */
  close(): void {
    if (this.#state === 'broken') return;
    if (this.#state === 'to-close') this.#finish();
    else if (this.#state !== 'head' || this.#pending.length > 0) this.#fail(`closed inside ${this.#state}`);
  }

  #advance(): boolean {
    switch (this.#state) {
      case 'head':
        return this.#readHead();
      case 'sized':
      case 'chunk-data':
        return this.#readCounted();
      case 'chunk-size':
        return this.#readChunkSize();
      case 'chunk-end':
        if (this.#readLine() === undefined) return false;
        this.#state = 'chunk-size';
        return true;
      case 'trailers': {
        const line = this.#readLine();
        if (line === '') this.#finish();
        return line !== undefined;
      }
      case 'to-close':
        this.#events.data(this.#consume(this.#pending.length));
        return false;
      case 'broken':
        return false;
    }
  }

  #readHead(): boolean {
    const at = this.#pending.indexOf(HEAD_END);
    if (at < 0) return false;
    const lines = this.#consume(at + HEAD_END.length)
      .toString('latin1', 0, at)
      .split(LINE_END);
    const startLine = lines.shift() ?? '';
    const wanted = this.#kind === 'request' ? / HTTP\/1\.[01]$/ : /^HTTP\/1\.[01] \d{3}/;
    if (!wanted.test(startLine)) return this.#fail(`start line ${JSON.stringify(startLine.slice(0, 80))}`);
    const rawHeaders: HeaderLine[] = lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    });
    const headers: Record<string, string> = Object.create(null);
    for (const [name, value] of rawHeaders) {
      const key = name.toLowerCase();
      headers[key] = key in headers ? `${headers[key]}, ${value}` : value;
    }
    this.#events.head({ startLine, headers, rawHeaders });
    this.#startBody(startLine, headers);
    return true;
  }

  #startBody(startLine: string, headers: Readonly<Record<string, string>>): void {
    const status = this.#kind === 'response' ? Number(startLine.split(' ')[1]) : 0;
    if (status >= 100 && status < 200) return;
    const length = headers['content-length'];
    if (/chunked$/i.test(headers['transfer-encoding'] ?? '')) this.#state = 'chunk-size';
    else if (status === 204 || status === 304) this.#finish();
    else if (length !== undefined) {
      this.#remainingBytes = Number(length);
      this.#state = 'sized';
      if (this.#remainingBytes === 0) this.#finish();
    } else if (this.#kind === 'request') this.#finish();
    else this.#state = 'to-close';
  }

  #readCounted(): boolean {
    const bytes = this.#consume(Math.min(this.#remainingBytes, this.#pending.length));
    this.#remainingBytes -= bytes.length;
    this.#events.data(bytes);
    if (this.#remainingBytes > 0) return false;
    if (this.#state === 'sized') this.#finish();
    else this.#state = 'chunk-end';
    return true;
  }

  #readChunkSize(): boolean {
    const line = this.#readLine();
    if (line === undefined) return false;
    if (!/^[0-9a-f]+\s*(;.*)?$/i.test(line)) return this.#fail(`chunk size ${JSON.stringify(line)}`);
    this.#remainingBytes = Number.parseInt(line, 16);
    this.#state = this.#remainingBytes === 0 ? 'trailers' : 'chunk-data';
    return true;
  }

  #readLine(): string | undefined {
    const at = this.#pending.indexOf(LINE_END);
    if (at < 0) return undefined;
    return this.#consume(at + LINE_END.length).toString('latin1', 0, at);
  }

  #consume(count: number): Buffer {
    const bytes = this.#pending.subarray(0, count);
    this.#pending = this.#pending.subarray(count);
    return bytes;
  }

  #finish(): void {
    this.#state = 'head';
    this.#events.end();
  }

  #fail(reason: string): false {
    this.#state = 'broken';
    this.#events.broken(reason);
    return false;
  }
}
