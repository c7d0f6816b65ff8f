import { request as httpRequest, type OutgoingHttpHeaders } from 'node:http';

export interface HttpCallOptions {
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  /** Objects are sent as JSON; strings and bytes as they are. */
  readonly body?: object | string | Buffer;
  readonly signal?: AbortSignal;
  /** Called with each piece of the body as it arrives: to release a gate, or to leave in the middle. */
  readonly onChunk?: (piece: Buffer) => void;
}

/** One event of a server-sent event stream. */
export interface SseFrame {
  /** Value of the `event:` line; empty when there is none. */
  readonly event: string;
  /** The `data:` lines, joined by line ends. */
  readonly data: string;
  /** Comment lines that stood in the frame, without their colon. */
  readonly comments: readonly string[];
}

export interface HttpCallResponse {
  readonly status: number;
  /** Names in lower case; repeated headers joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
  readonly text: string;
  /** False when the connection ended before the body did. */
  readonly isComplete: boolean;
  /** @throws SyntaxError when the body is not JSON. */
  json(): unknown;
  frames(): readonly SseFrame[];
}

/**
 * One request on a connection of its own. Redirects are not followed, nothing is retried, nothing decompressed. An
 * answer that breaks off is an answer with `complete: false`.
 *
 * @throws Error when no answer begins: refused, reset, not HTTP, aborted by the signal.
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
    // Once an answer has begun, its end is told by `complete` alone.
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

/** Reads a server-sent event stream; a frame without its blank line at the end of the text is left out. */
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
