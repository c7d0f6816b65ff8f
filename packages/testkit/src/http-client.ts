import { request as httpRequest, type OutgoingHttpHeaders } from 'node:http';

/** The options of `callHttp`. */
export interface HttpCallOptions {
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  /** Objects are sent as JSON, strings and bytes unchanged. */
  readonly body?: object | string | Buffer;
  readonly signal?: AbortSignal;
  /** Called with each received chunk of the body, for example to release a gate or to disconnect. */
  readonly onChunk?: (piece: Buffer) => void;
}

/** One event of a server-sent event stream. */
export interface SseFrame {
  /** Value of the `event:` line. Empty if there is none. */
  readonly event: string;
  /** The `data:` lines, joined by line ends. */
  readonly data: string;
  /** Comment lines of the frame, without their colon. */
  readonly comments: readonly string[];
}

/** A response of `callHttp`. */
export interface HttpCallResponse {
  readonly status: number;
  /** Names in lower case. Repeated headers are joined with `, `. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
  readonly text: string;
  /** False if the connection ended before the body was complete. */
  readonly isComplete: boolean;
  /** @throws SyntaxError if the body is not JSON */
  json(): unknown;
  frames(): readonly SseFrame[];
}

/**
 * Sends one request on a new connection. Does not follow redirects, retry or decompress. A truncated response
 * has `isComplete: false`.
 *
 * @throws Error if no response starts: refused, reset, not HTTP, aborted by the signal
 */
export async function callHttp(url: string, options: HttpCallOptions = {}): Promise<HttpCallResponse> {
  const { body, signal } = options;
  const isJson = typeof body === 'object' && !Buffer.isBuffer(body);
  const bytes = body === undefined ? undefined : Buffer.from(isJson ? JSON.stringify(body) : body);
  const outgoing = httpRequest(url, {
    agent: false,
    method: options.method ?? (bytes ? 'POST' : 'GET'),
    headers: {
      ...(isJson && { 'content-type': 'application/json' }),
      ...(bytes && { 'content-length': bytes.length }),
      ...options.headers,
    },
    ...(signal && { signal }),
  });
  const { promise, resolve, reject } = Promise.withResolvers<HttpCallResponse>();
  outgoing.on('response', (incoming) => {
    const parts: Buffer[] = [];
    incoming.on('data', (part: Buffer) => {
      parts.push(part);
      options.onChunk?.(part);
    });
    // After a response has started, only `isComplete` reports how it ended.
    outgoing.removeListener('error', reject);
    for (const stream of [outgoing, incoming]) stream.on('error', () => incoming.destroy());
    incoming.on('close', () => {
      const headers: Record<string, string> = {};
      for (const [name, values = []] of Object.entries(incoming.headersDistinct))
        headers[name] = values.join(', ');
      resolve(createHttpAnswer(incoming.statusCode ?? 0, headers, Buffer.concat(parts), incoming.complete));
    });
  });
  outgoing.on('error', reject);
  outgoing.end(bytes);
  return promise;
}

function createHttpAnswer(
  status: number,
  headers: Readonly<Record<string, string>>,
  bytes: Buffer,
  complete: boolean,
): HttpCallResponse {
  const text = bytes.toString('utf8');
  return {
    status,
    headers,
    bytes,
    text,
    isComplete: complete,
    json: () => JSON.parse(text),
    frames: () => parseSseFrames(text),
  };
}

/** Parses a server-sent event stream. An incomplete frame at the end is omitted. */
export function parseSseFrames(text: string): readonly SseFrame[] {
  const found: SseFrame[] = [];
  const blocks = text.replaceAll('\r\n', '\n').split('\n\n');
  for (const block of blocks.slice(0, -1)) {
    let event = '';
    const data: string[] = [];
    const comments: string[] = [];
    for (const line of block.split('\n')) {
      const colon = line.indexOf(':');
      const name = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
      if (name === '') comments.push(value);
      else if (name === 'event') event = value;
      else if (name === 'data') data.push(value);
    }
    found.push({ event, data: data.join('\n'), comments });
  }
  return found;
}
