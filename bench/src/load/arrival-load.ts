import { connect, type Socket } from 'node:net';
import { AnswerReader } from './answer-reader.ts';
import { computeLatency } from './latency.ts';
import type { OverloadFigures } from './overload-load.ts';
import { WHOLE_ANSWER_BYTES } from './requests.ts';

export interface ArrivalLoad {
  readonly port: number;
  /** The whole request, head and body. */
  readonly request: Buffer;
  /** Requests per second, whether earlier ones have a response or not. */
  readonly rate: number;
  readonly seconds: number;
}

export interface ArrivalFigures extends OverloadFigures {
  /** Requests per second that were sent. */
  readonly sent: number;
  /** Requests that had no response 5 s after the end, and connections that the server closed. */
  readonly unanswered: number;
}

/** A client waits at least this long after a 503, as `retry-after` says. */
const REST_MS = 2_000;
const MAX_CONNECTIONS = 8_000;
const GRACE_MS = 5_000;

interface Connection {
  readonly socket: Socket;
  /** When the request was due; null without a request. */
  dueAt: number | null;
}

/**
 * Sends requests at a constant rate. Each request uses an idle connection or a new one. Latency counts from the time
 * at which a request was due, so a slow generator cannot hide a slow server. The first fifth is not counted.
 */
export async function runArrivalLoad(load: ArrivalLoad): Promise<ArrivalFigures> {
  const arrivals = new Arrivals(load);
  await arrivals.run();
  return arrivals.figures();
}

class Arrivals {
  readonly #load: ArrivalLoad;
  readonly #admitted: number[] = [];
  readonly #rejected: number[] = [];
  readonly #idle: Connection[] = [];
  readonly #open = new Set<Connection>();
  #startedAt = 0;
  #sent = 0;
  #broken = 0;
  #generatedMs = 0;

  constructor(load: ArrivalLoad) {
    this.#load = load;
  }

  async run(): Promise<void> {
    const { rate, seconds } = this.#load;
    this.#startedAt = performance.now();
    for (let due = 0; due < rate * seconds; ) {
      const elapsedMs = performance.now() - this.#startedAt;
      const until = Math.min(rate * seconds, Math.floor((elapsedMs * rate) / 1000));
      for (; due < until; due += 1) this.#send(this.#startedAt + (due * 1000) / rate);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    this.#generatedMs = performance.now() - this.#startedAt;
    const graceEnd = performance.now() + GRACE_MS;
    while (performance.now() < graceEnd && this.#countWaiting() > 0)
      await new Promise((resolve) => setTimeout(resolve, 20));
    this.#broken += this.#countWaiting();
    for (const { socket } of this.#open) socket.removeAllListeners('close').destroy();
  }

  figures(): ArrivalFigures {
    const seconds = this.#load.seconds * 0.8;
    return {
      goodput: this.#admitted.length / seconds,
      admitted: computeLatency(this.#admitted),
      rejections: this.#rejected.length / seconds,
      rejected: computeLatency(this.#rejected),
      sent: (this.#sent * 1000) / this.#generatedMs,
      unanswered: this.#broken,
    };
  }

  #countWaiting(): number {
    let count = 0;
    for (const { dueAt } of this.#open) if (dueAt !== null) count += 1;
    return count;
  }

  #send(dueAt: number): void {
    const connection = this.#idle.pop() ?? (this.#open.size < MAX_CONNECTIONS ? this.#connect() : null);
    if (connection === null) return;
    connection.dueAt = dueAt;
    connection.socket.write(this.#load.request);
    this.#sent += 1;
  }

  #connect(): Connection {
    const socket = connect({ port: this.#load.port, host: '127.0.0.1', noDelay: true });
    const connection: Connection = { socket, dueAt: null };
    this.#open.add(connection);
    const onEnd = (status: number, bodyBytes: number) => this.#record(connection, status, bodyBytes);
    const reader = new AnswerReader({ onBody: () => undefined, onEnd });
    socket
      .on('data', (bytes: Buffer) => reader.push(bytes))
      .on('error', () => undefined)
      .on('close', () => {
        this.#open.delete(connection);
        if (connection.dueAt !== null) this.#broken += 1;
        const at = this.#idle.indexOf(connection);
        if (at !== -1) this.#idle.splice(at, 1);
      });
    return connection;
  }

  #record(connection: Connection, status: number, bodyBytes: number): void {
    const { dueAt } = connection;
    if (dueAt === null) return;
    connection.dueAt = null;
    const isAdmitted = status === 200 && bodyBytes >= WHOLE_ANSWER_BYTES;
    if (!isAdmitted && status !== 503) throw new Error(`a response with status ${status}`);
    // Counted by when they were due, so that both loads count the same requests.
    if (dueAt >= this.#startedAt + this.#load.seconds * 200)
      (isAdmitted ? this.#admitted : this.#rejected).push((performance.now() - dueAt) * 1000);
    if (isAdmitted) this.#idle.push(connection);
    else setTimeout(() => this.#open.has(connection) && this.#idle.push(connection), REST_MS);
  }
}
