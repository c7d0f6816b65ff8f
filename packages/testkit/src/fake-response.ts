import { STATUS_CODES } from 'node:http';
import { type Chunking, splitBody } from './chunking.ts';

/** The response of a healthy upstream: status, headers without framing, body. */
export interface FakeResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/**
 * How the end of the body is marked (RFC 9112, section 6): by chunked encoding, by its length, or by
 * closing the connection.
 */
export type Framing = 'chunked' | 'content-length' | 'close';

/** How a response is sent. */
export interface ResponseDelivery {
  readonly chunking: Chunking;
  readonly framing: Framing;
  /** Waits at the upstream's gate before every chunk of the body. */
  readonly isPaced: boolean;
}

/** One action on the socket. Healthy responses and faults are lists of actions. */
export type SocketStep =
  | { readonly do: 'write'; readonly bytes: Buffer }
  /** Wait until the test releases the upstream's gate. */
  | { readonly do: 'gate' }
  /** Send nothing until the peer disconnects. */
  | { readonly do: 'silence' }
  /** Close the connection (FIN), even if the answer is incomplete. */
  | { readonly do: 'fin' }
  /** Close with RST. */
  | { readonly do: 'reset' }
  /** Reset the connection when the next request arrives on it. */
  | { readonly do: 'doom' };

const FRAMING_HEADERS = new Set(['content-encoding', 'content-length', 'transfer-encoding', 'connection']);

/** Creates the step that writes these bytes. A string is encoded as Latin-1. */
export function createWriteStep(bytes: Buffer | string): SocketStep {
  return { do: 'write', bytes: typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes };
}

/**
 * Returns the default delivery: a streaming response is sent frame by frame with chunked framing, and
 * any other response in one piece with its length.
 */
export function getDefaultDelivery(answer: FakeResponse): ResponseDelivery {
  const streams = /event-stream|eventstream|ndjson/.test(answer.headers['content-type'] ?? '');
  return {
    chunking: streams ? 'frames' : 'whole',
    framing: streams ? 'chunked' : 'content-length',
    isPaced: false,
  };
}

/**
 * Encodes the status line and the headers. Recorded framing headers are replaced with those for
 * `framing`.
 */
export function encodeResponseHead(answer: FakeResponse, framing: Framing): Buffer {
  const lines = [`HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? 'Unknown'}`];
  for (const [name, value] of Object.entries(answer.headers))
    if (!FRAMING_HEADERS.has(name.toLowerCase())) lines.push(`${name}: ${value}`);
  if (framing === 'chunked') lines.push('transfer-encoding: chunked');
  else if (framing === 'content-length') lines.push(`content-length: ${answer.body.length}`);
  else lines.push('connection: close');
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}

/**
 * Returns the steps that write the body. With chunked framing, every piece is one HTTP chunk.
 * Parsers report each chunk separately even if TCP joins them. With other framings, the boundaries
 * may be lost.
 */
export function createBodySteps(answer: FakeResponse, delivery: ResponseDelivery): SocketStep[] {
  return splitBody(answer.body, delivery.chunking, answer.headers['content-type'] ?? '').flatMap((piece) => {
    const step = createWriteStep(delivery.framing === 'chunked' ? encodeChunk(piece) : piece);
    return delivery.isPaced ? [{ do: 'gate' }, step] : [step];
  });
}

/** Returns the steps that mark the end of a body. */
export function createBodyEndSteps(framing: Framing): SocketStep[] {
  if (framing === 'chunked') return [createWriteStep('0\r\n\r\n')];
  return framing === 'close' ? [{ do: 'fin' }] : [];
}

/** Returns the steps of a complete healthy response. */
export function createResponseSteps(answer: FakeResponse, delivery: ResponseDelivery): SocketStep[] {
  return [
    createWriteStep(encodeResponseHead(answer, delivery.framing)),
    ...createBodySteps(answer, delivery),
    ...createBodyEndSteps(delivery.framing),
  ];
}

function encodeChunk(piece: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]);
}
