import { STATUS_CODES } from 'node:http';
import { type Chunking, splitBody } from './chunking.ts';

/** What a healthy upstream says: status, headers without framing, body. */
export interface FakeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** How the end of the body is told (RFC 9112, section 6): by chunks, by length, or by closing. */
export type Framing = 'chunked' | 'content-length' | 'close';

export interface AnswerDelivery {
  readonly chunking: Chunking;
  readonly framing: Framing;
  /** Wait at the upstream's gate before every piece of the body. */
  readonly isPaced: boolean;
}

/** One thing done to the socket. Healthy answers and faults alike are lists of these. */
export type SocketStep =
  | { readonly do: 'write'; readonly bytes: Buffer }
  /** Wait until the test releases the upstream's gate. */
  | { readonly do: 'gate' }
  /** Say nothing until the peer goes away. */
  | { readonly do: 'silence' }
  /** Close properly (FIN); whatever was promised stays unsent. */
  | { readonly do: 'fin' }
  /** Close with RST. */
  | { readonly do: 'reset' }
  /** Reset the connection when the next request arrives on it. */
  | { readonly do: 'doom' };

const FRAMING_HEADERS = new Set(['content-encoding', 'content-length', 'transfer-encoding', 'connection']);

export function writeStep(bytes: Buffer | string): SocketStep {
  return { do: 'write', bytes: typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes };
}

/** A streaming answer goes out frame by frame in chunks, any other in one piece with its length. */
export function defaultDelivery(answer: FakeAnswer): AnswerDelivery {
  const streams = /event-stream|eventstream|ndjson/.test(answer.headers['content-type'] ?? '');
  return {
    chunking: streams ? 'frames' : 'whole',
    framing: streams ? 'chunked' : 'content-length',
    isPaced: false,
  };
}

/** Status line and headers, with the header that `framing` needs and the recorded framing headers removed. */
export function encodeHead(answer: FakeAnswer, framing: Framing): Buffer {
  const lines = [`HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? 'Unknown'}`];
  for (const [name, value] of Object.entries(answer.headers))
    if (!FRAMING_HEADERS.has(name.toLowerCase())) lines.push(`${name}: ${value}`);
  if (framing === 'chunked') lines.push('transfer-encoding: chunked');
  else if (framing === 'content-length') lines.push(`content-length: ${answer.body.length}`);
  else lines.push('connection: close');
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}

/**
 * The body as writes. Chunked framing makes every piece an HTTP chunk of its own, which a receiving parser reports
 * one by one even where TCP joined them: only there are the cuts certain to be seen.
 */
export function bodySteps(answer: FakeAnswer, delivery: AnswerDelivery): SocketStep[] {
  return splitBody(answer.body, delivery.chunking, answer.headers['content-type'] ?? '').flatMap((piece) => {
    const step = writeStep(delivery.framing === 'chunked' ? encodeChunk(piece) : piece);
    return delivery.isPaced ? [{ do: 'gate' }, step] : [step];
  });
}

export function bodyEndSteps(framing: Framing): SocketStep[] {
  if (framing === 'chunked') return [writeStep('0\r\n\r\n')];
  return framing === 'close' ? [{ do: 'fin' }] : [];
}

/** A whole healthy answer. */
export function answerSteps(answer: FakeAnswer, delivery: AnswerDelivery): SocketStep[] {
  return [
    writeStep(encodeHead(answer, delivery.framing)),
    ...bodySteps(answer, delivery),
    ...bodyEndSteps(delivery.framing),
  ];
}

function encodeChunk(piece: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]);
}
