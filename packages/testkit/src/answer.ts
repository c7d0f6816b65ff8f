import { STATUS_CODES } from 'node:http';
import { type Chunking, split } from './chunking.ts';

/** What a healthy upstream says: status, headers without framing, body. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** How the end of the body is told (RFC 9112, section 6): by chunks, by length, or by closing. */
export type Framing = 'chunked' | 'content-length' | 'close';

export interface Delivery {
  readonly chunking: Chunking;
  readonly framing: Framing;
  /** Wait at the upstream's gate before every piece of the body. */
  readonly paced: boolean;
}

/** One thing done to the socket. Healthy answers and faults alike are lists of these. */
export type Step =
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

export function write(bytes: Buffer | string): Step {
  return { do: 'write', bytes: typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes };
}

/** A streaming answer goes out frame by frame in chunks, any other in one piece with its length. */
export function usualDelivery(answer: Answer): Delivery {
  const streams = /event-stream|eventstream|ndjson/.test(answer.headers['content-type'] ?? '');
  return {
    chunking: streams ? 'frames' : 'whole',
    framing: streams ? 'chunked' : 'content-length',
    paced: false,
  };
}

/** Status line and headers, with the header that `framing` needs and the recorded framing headers removed. */
export function headBytes(answer: Answer, framing: Framing): Buffer {
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
export function bodySteps(answer: Answer, delivery: Delivery): Step[] {
  return split(answer.body, delivery.chunking, answer.headers['content-type'] ?? '').flatMap((piece) => {
    const step = write(delivery.framing === 'chunked' ? chunk(piece) : piece);
    return delivery.paced ? [{ do: 'gate' }, step] : [step];
  });
}

export function endSteps(framing: Framing): Step[] {
  if (framing === 'chunked') return [write('0\r\n\r\n')];
  return framing === 'close' ? [{ do: 'fin' }] : [];
}

/** A whole healthy answer. */
export function deliver(answer: Answer, delivery: Delivery): Step[] {
  return [
    write(headBytes(answer, delivery.framing)),
    ...bodySteps(answer, delivery),
    ...endSteps(delivery.framing),
  ];
}

function chunk(piece: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]);
}
