import { connect, type Socket } from 'node:net';
import { AnswerReader } from './answer-reader.ts';
import { computeLatency, type Latency } from './latency.ts';

export interface RequestLoad {
  readonly port: number;
  /** The whole request, head and body. */
  readonly request: Buffer;
  readonly connections: number;
  readonly seconds: number;
}

export interface RequestFigures {
  readonly requests: number;
  readonly seconds: number;
  readonly latency: Latency;
}

/** Smallest body that can be a whole answer of the mock. */
export const WHOLE_ANSWER_BYTES = 500;

/**
 * Keeps `connections` busy, one request at a time each, for `seconds`. For machines without wrk.
 *
 * @throws Error at the first answer that is not a whole 200, and at a connection that breaks
 */
export async function runRequestLoad(load: RequestLoad): Promise<RequestFigures> {
  const taken: number[] = [];
  const startedAt = performance.now();
  const until = startedAt + load.seconds * 1000;
  await Promise.all(Array.from({ length: load.connections }, () => keepBusy(load, until, taken)));
  return {
    requests: taken.length,
    seconds: (performance.now() - startedAt) / 1000,
    latency: computeLatency(taken),
  };
}

function keepBusy({ port, request }: RequestLoad, until: number, taken: number[]): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  return new Promise((resolve, reject) => {
    let sentAt = 0;
    const ask = () => {
      sentAt = performance.now();
      socket.write(request);
    };
    const onEnd = (status: number, bodyBytes: number) => {
      const now = performance.now();
      if (status !== 200 || bodyBytes < WHOLE_ANSWER_BYTES)
        return end(socket, () => reject(new Error(`an answer with status ${status} and ${bodyBytes} bytes`)));
      taken.push((now - sentAt) * 1000);
      if (now < until) ask();
      else end(socket, resolve);
    };
    const reader = new AnswerReader({ onBody: () => undefined, onEnd });
    socket.on('connect', ask);
    socket.on('data', (bytes: Buffer) => readInto(reader, bytes, socket));
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the connection closed under load')));
  });
}

/** Hands bytes to a reader; what it throws becomes the socket's error. */
export function readInto(reader: AnswerReader, bytes: Buffer, socket: Socket): void {
  try {
    reader.push(bytes);
  } catch (error) {
    socket.destroy(error instanceof Error ? error : new Error(String(error)));
  }
}

function end(socket: Socket, done: () => void): void {
  socket.removeAllListeners('close');
  socket.destroy();
  done();
}
