import { connect } from 'node:net';
import { AnswerReader } from './answer-reader.ts';
import { computeLatency, type Latency } from './latency.ts';
import { readInto, WHOLE_ANSWER_BYTES } from './requests.ts';

export interface OverloadLoad {
  readonly port: number;
  /** The whole request, head and body. */
  readonly request: Buffer;
  readonly connections: number;
  readonly seconds: number;
  /** How long a connection waits after a 503 before it sends the next request, in milliseconds. */
  readonly waitAfterRejectionMs: number;
}

export interface OverloadFigures {
  /** Complete responses per second. */
  readonly goodput: number;
  readonly admitted: Latency;
  /** 503 responses per second. */
  readonly rejections: number;
  readonly rejected: Latency;
}

/**
 * Keeps `connections` busy, one request at a time each, for `seconds`. The first fifth is not counted.
 *
 * @throws Error at the first response that is neither a complete 200 nor a 503, and at a connection that breaks
 */
export async function runOverloadLoad(load: OverloadLoad): Promise<OverloadFigures> {
  const admitted: number[] = [];
  const rejected: number[] = [];
  const startedAt = performance.now();
  const countFrom = startedAt + load.seconds * 200;
  const until = startedAt + load.seconds * 1000;
  const record = (status: number, bodyBytes: number, sentAt: number, now: number): string | null => {
    if (status !== 503 && (status !== 200 || bodyBytes < WHOLE_ANSWER_BYTES))
      return `a response with status ${status} and ${bodyBytes} bytes`;
    if (now >= countFrom && now < until) (status === 503 ? rejected : admitted).push((now - sentAt) * 1000);
    return null;
  };
  await Promise.all(Array.from({ length: load.connections }, () => keepBusy(load, until, record)));
  const seconds = (until - countFrom) / 1000;
  return {
    goodput: admitted.length / seconds,
    admitted: computeLatency(admitted),
    rejections: rejected.length / seconds,
    rejected: computeLatency(rejected),
  };
}

function keepBusy(
  { port, request, waitAfterRejectionMs }: OverloadLoad,
  until: number,
  record: (status: number, bodyBytes: number, sentAt: number, now: number) => string | null,
): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  return new Promise((resolve, reject) => {
    let sentAt = 0;
    const close = (done: () => void) => {
      socket.removeAllListeners('close');
      socket.destroy();
      done();
    };
    const ask = () => {
      if (performance.now() >= until) return close(resolve);
      sentAt = performance.now();
      socket.write(request);
    };
    const onEnd = (status: number, bodyBytes: number) => {
      const problem = record(status, bodyBytes, sentAt, performance.now());
      if (problem !== null) return close(() => reject(new Error(problem)));
      if (status === 503 && waitAfterRejectionMs > 0)
        setTimeout(ask, waitAfterRejectionMs * (0.5 + Math.random()));
      else ask();
    };
    const reader = new AnswerReader({ onBody: () => undefined, onEnd });
    socket.on('connect', ask);
    socket.on('data', (bytes: Buffer) => readInto(reader, bytes, socket));
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the connection closed under load')));
  });
}
