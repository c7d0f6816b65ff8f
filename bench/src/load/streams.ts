import { connect, type Socket } from 'node:net';
import { delay } from '../processes.ts';
import { AnswerReader } from './answer-reader.ts';
import { readInto } from './requests.ts';

/** One stream after another, or many at once; what all of them share. */
export interface StreamLoad {
  readonly port: number;
  readonly request: Buffer;
  /** Content events the request asks the mock for. */
  readonly events: number;
}

export interface StreamFigures {
  readonly streams: number;
  /** Content events received. */
  readonly events: number;
  /** From sending each request to its first content event, in microseconds. */
  readonly firstTokenUs: number[];
}

const CONTENT = Buffer.from('"content":" ');

/** Streams that may be opening at a time, and how often more are opened: at most 2,000 a second. */
const RAMP = 100;
const RAMP_MS = 50;

/** One connection that asks for one stream at a time and checks that nothing of it is missing. */
class StreamConnection {
  #socket: Socket;
  #load: StreamLoad;
  #reader: AnswerReader;
  #tail = Buffer.alloc(0);
  #sentAt = 0;
  #seen = 0;
  #over: PromiseWithResolvers<void> = Promise.withResolvers();
  #figures: { streams: number; events: number; firstTokenUs: number[] };

  constructor(load: StreamLoad, figures: { streams: number; events: number; firstTokenUs: number[] }) {
    this.#load = load;
    this.#figures = figures;
    this.#reader = new AnswerReader({
      onBody: (bytes) => this.#count(bytes),
      onEnd: (status) => this.#end(status),
    });
    this.#socket = connect({ port: load.port, host: '127.0.0.1', noDelay: true });
    this.#socket.on('data', (bytes: Buffer) => readInto(this.#reader, bytes, this.#socket));
    this.#socket.on('error', (error) => this.#over.reject(error));
    this.#socket.on('close', () =>
      this.#over.reject(new Error(`a stream broke off after ${this.#seen} events`)),
    );
  }

  /** Asks and resolves when the stream is whole. */
  ask(): Promise<void> {
    this.#over = Promise.withResolvers();
    this.#seen = 0;
    this.#tail = Buffer.alloc(0);
    this.#sentAt = performance.now();
    this.#socket.write(this.#load.request);
    return this.#over.promise;
  }

  close(): void {
    this.#socket.removeAllListeners('close');
    this.#socket.destroy();
  }

  #count(bytes: Buffer): void {
    const text = this.#tail.length > 0 ? Buffer.concat([this.#tail, bytes]) : bytes;
    let found = 0;
    let after = 0;
    for (let at = text.indexOf(CONTENT); at !== -1; at = text.indexOf(CONTENT, after)) {
      after = at + CONTENT.length;
      found += 1;
    }
    // A needle may lie across two reads; the copy keeps no read buffer alive.
    this.#tail = Buffer.from(text.subarray(Math.max(after, text.length - CONTENT.length + 1)));
    if (found === 0) return;
    if (this.#seen === 0) this.#figures.firstTokenUs.push((performance.now() - this.#sentAt) * 1000);
    this.#seen += found;
    this.#figures.events += found;
  }

  #end(status: number): void {
    const { events } = this.#load;
    if (status !== 200 || this.#seen !== events)
      this.#over.reject(new Error(`a stream with status ${status} and ${this.#seen} of ${events} events`));
    this.#figures.streams += 1;
    this.#over.resolve();
  }
}

function noFigures() {
  return { streams: 0, events: 0, firstTokenUs: [] as number[] };
}

/**
 * Keeps `connections` streaming, a new stream as soon as one ends, for at least `seconds`.
 *
 * @throws Error at the first stream that is not whole
 */
export async function runStreamLoop(
  load: StreamLoad,
  connections: number,
  seconds: number,
): Promise<StreamFigures> {
  const figures = noFigures();
  const until = performance.now() + seconds * 1000;
  await withConnections(load, connections, figures, async (connection) => {
    do await connection.ask();
    while (performance.now() < until);
  });
  return figures;
}

/**
 * Opens `count` streams, one on each connection, at a bounded rate, and resolves when all are whole.
 * `onAllOpen` runs when every stream has had its first content.
 *
 * @throws Error when a stream is not whole, or not all were open at the same time
 */
export async function runConcurrentStreams(
  load: StreamLoad,
  count: number,
  onAllOpen: () => void,
): Promise<StreamFigures> {
  const figures = noFigures();
  const connections: StreamConnection[] = [];
  const whole: Promise<void>[] = [];
  const broken = Promise.withResolvers<never>();
  broken.promise.catch(() => undefined);
  let isOpen = false;
  const look = () => {
    if (isOpen || figures.firstTokenUs.length < count) return;
    isOpen = figures.streams === 0;
    if (isOpen) onAllOpen();
  };
  const watch = setInterval(look, 20);
  try {
    while (connections.length < count) {
      // A slow opener is waited for: its memory is the question here, not its rate of opening.
      const opening = connections.length - figures.firstTokenUs.length;
      for (let i = opening; i < RAMP && connections.length < count; i++) {
        const connection = new StreamConnection(load, figures);
        connections.push(connection);
        const stream = connection.ask();
        stream.catch(broken.reject);
        whole.push(stream);
      }
      await Promise.race([delay(RAMP_MS), broken.promise]);
    }
    await Promise.all(whole);
  } finally {
    clearInterval(watch);
    for (const connection of connections) connection.close();
  }
  if (!isOpen) throw new Error(`the ${count} streams were never open at the same time`);
  return figures;
}

async function withConnections(
  load: StreamLoad,
  count: number,
  figures: ReturnType<typeof noFigures>,
  use: (connection: StreamConnection) => Promise<void>,
): Promise<void> {
  const connections = Array.from({ length: count }, () => new StreamConnection(load, figures));
  try {
    await Promise.all(connections.map(use));
  } finally {
    for (const connection of connections) connection.close();
  }
}
