import { connect, type Socket } from 'node:net';

/** Thrown if the hook gets no usable response from the server. The message tells the user why. */
export class HookRequestError extends Error {
  override readonly name = 'HookRequestError';
  /** Whether the time limit of the request has passed. */
  readonly timedOut: boolean;

  constructor(message: string, timedOut = false) {
    super(message);
    this.timedOut = timedOut;
  }
}

/** A request from the hook to the server. */
export interface HookHttpRequest {
  readonly url: string;
  readonly key: string;
  readonly method: 'GET' | 'POST';
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

/** A complete response to a request from the hook. */
export interface HookHttpResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

const MAX_HEAD_BYTES = 64 * 1024;
const MAX_BODY_BYTES = 16 * 1024 * 1024;

/**
 * Sends one HTTP/1.1 request (RFC 9112) on a new connection. Does not use `node:http` or `fetch`, because
 * each event starts a new process, and loading one of these modules takes longer than the rest of the hook.
 * @throws HookRequestError for every failure, such as a refused connection, a timeout, or a response that is
 * truncated or not valid HTTP
 */
export async function sendHookRequest(request: HookHttpRequest): Promise<HookHttpResponse> {
  const url = new URL(request.url);
  const deadlineMs = performance.now() + request.timeoutMs;
  const socket = await openSocket(url);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const reader = new HookAnswerReader();
    const finish = (settle: () => void) => {
      clearTimeout(timer);
      socket.destroy();
      settle();
    };
    const fail = (why: string, timedOut = false) => finish(() => reject(new HookRequestError(why, timedOut)));
    const timer = setTimeout(
      () => fail(`the server did not respond within ${Math.ceil(request.timeoutMs)} ms`, true),
      Math.max(1, deadlineMs - performance.now()),
    );
    const readChunks = (isEnd: boolean) => {
      try {
        const answered = reader.read(chunks, isEnd);
        if (answered) finish(() => resolve(answered));
        else if (isEnd) fail('the server closed the connection before it sent a complete response');
      } catch (error) {
        fail(
          error instanceof HookRequestError
            ? error.message
            : 'the response is not valid HTTP; check the configured base URL',
        );
      }
    };
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      readChunks(false);
    });
    socket.on('end', () => readChunks(true));
    socket.on('error', (error) => fail('code' in error ? String(error.code) : error.message));
    socket.on('close', () => fail('the server closed the connection before it sent a complete response'));
    socket.write(formatRequest(request, url));
  });
}

async function openSocket(url: URL): Promise<Socket> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isSecure = url.protocol === 'https:';
  const port = Number(url.port) || (isSecure ? 443 : 80);
  if (!isSecure) return connect({ host, port });
  const tls = await import('node:tls');
  return tls.connect({
    host,
    port,
    ALPNProtocols: ['http/1.1'],
    ...(/[a-z]/i.test(host) && !host.includes(':') && { servername: host }),
  });
}

function formatRequest(
  { key, method, body, headers }: HookHttpRequest,
  { host, pathname, search }: URL,
): string {
  const lines = [
    `${method} ${pathname}${search} HTTP/1.1`,
    `host: ${host}`,
    `authorization: Bearer ${key}`,
    'accept: application/json',
    'connection: close',
    ...Object.entries(headers ?? {}).map(([name, value]) => `${name}: ${value}`),
    ...(body === undefined
      ? []
      : ['content-type: application/json', `content-length: ${Buffer.byteLength(body)}`]),
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body ?? ''}`;
}

interface HookAnswerHead {
  readonly status: number;
  readonly headers: Map<string, string>;
  readonly bodyAt: number;
}

/** Parses one response from received chunks. Reads each byte of the body at most twice. */
class HookAnswerReader {
  #head: HookAnswerHead | null = null;
  #receivedBytes = 0;
  #countedChunks = 0;

  /** @returns null if more input is required; @throws HookRequestError if the input is invalid */
  read(chunks: Buffer[], isEnd: boolean): HookHttpResponse | null {
    while (this.#countedChunks < chunks.length)
      this.#receivedBytes += chunks[this.#countedChunks++]?.length ?? 0;
    if (this.#receivedBytes > MAX_HEAD_BYTES + MAX_BODY_BYTES)
      throw new HookRequestError(
        `the response is larger than ${(MAX_HEAD_BYTES + MAX_BODY_BYTES) >> 20} MiB; check the configured base URL`,
      );
    this.#head ??= parseHookAnswerHead(Buffer.concat(chunks));
    const head = this.#head;
    if (head === null) return null;
    const { status, headers, bodyAt } = head;
    const length = headers.get('content-length');
    const isChunked = /(?:^|,)\s*chunked\s*$/i.test(headers.get('transfer-encoding') ?? '');
    if (status === 204 || status === 304) return { status, headers, body: '' };
    if (isChunked) {
      if (!isEnd && chunks.at(-1)?.at(-1) !== 0x0a) return null;
      const body = decodeChunkedBody(Buffer.concat(chunks).subarray(bodyAt));
      return body === null ? null : { status, headers, body };
    }
    if (length === undefined)
      return isEnd ? { status, headers, body: Buffer.concat(chunks).toString('utf8', bodyAt) } : null;
    if (!/^\d+$/.test(length))
      throw new HookRequestError(
        'the response has an invalid content-length header; check the configured base URL',
      );
    const end = bodyAt + Number(length);
    return this.#receivedBytes < end
      ? null
      : { status, headers, body: Buffer.concat(chunks).toString('utf8', bodyAt, end) };
  }
}

const CRLF = Buffer.from('\r\n');

/** Skips interim responses (1xx). */
function parseHookAnswerHead(bytes: Buffer): HookAnswerHead | null {
  let from = 0;
  for (;;) {
    const end = bytes.indexOf('\r\n\r\n', from);
    const isWrong = bytes.length > from && !'HTTP/1.'.startsWith(bytes.toString('latin1', from, from + 7));
    if (isWrong || (end < 0 ? bytes.length : end) - from > MAX_HEAD_BYTES)
      throw new HookRequestError('the response is not valid HTTP; check the configured base URL');
    if (end < 0) return null;
    const [first = '', ...lines] = bytes.toString('latin1', from, end).split('\r\n');
    const status = Number(/^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(first)?.[1] ?? 0);
    if (status < 100)
      throw new HookRequestError('the response is not valid HTTP; check the configured base URL');
    from = end + 4;
    if (status < 200 && status !== 101) continue;
    const headers = new Map<string, string>();
    for (const line of lines) {
      const at = line.indexOf(':');
      if (at > 0) headers.set(line.slice(0, at).toLowerCase(), line.slice(at + 1).trim());
    }
    return { status, headers, bodyAt: from };
  }
}

/** Null if the last chunk is missing. */
function decodeChunkedBody(bytes: Buffer): string | null {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf(CRLF, at);
    if (lineEnd < 0) return null;
    const size = /^([\da-f]{1,8})(?:\s*;.*)?$/i.exec(bytes.toString('latin1', at, lineEnd))?.[1];
    if (size === undefined)
      throw new HookRequestError(
        'the response has an invalid chunked encoding; check the configured base URL',
      );
    const from = lineEnd + 2;
    const end = from + Number.parseInt(size, 16);
    if (end === from) return Buffer.concat(parts).toString('utf8');
    if (bytes.length < end + 2) return null;
    parts.push(bytes.subarray(from, end));
    at = end + 2;
  }
}
