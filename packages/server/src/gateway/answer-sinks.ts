import { Fault } from '@floe/contract/faults';
import { streamHeaders } from './answer-headers.ts';
import type { ClientOut } from './client-out.ts';
import type { Exchange } from './exchange-record.ts';
import type { AnswerSink } from './plan.ts';
import { StreamGate } from './policy/stream-gate.ts';

/** An answer that is judged whole: nothing reaches the client before its last byte is here. */
export class CollectedAnswer implements AnswerSink {
  readonly heard = false;
  readonly started = false;
  readonly whole = false;
  #limitBytes: number;
  #judge: (body: Buffer) => void;
  #tooLarge: (start: Buffer) => Error;
  #chunks: Buffer[] = [];
  #size = 0;

  /** `judge` gets the whole body and answers the client or throws; `tooLarge` the start of a longer one. */
  constructor(limitBytes: number, judge: (body: Buffer) => void, tooLarge: (start: Buffer) => Error) {
    this.#limitBytes = limitBytes;
    this.#judge = judge;
    this.#tooLarge = tooLarge;
  }

  push(chunk: Buffer): boolean {
    this.#size += chunk.length;
    if (this.#size > this.#limitBytes) throw this.#tooLarge(this.#chunks[0] ?? chunk);
    this.#chunks.push(chunk);
    return true;
  }

  end(): void {
    const [only] = this.#chunks;
    const body = this.#chunks.length === 1 && only ? only : Buffer.concat(this.#chunks, this.#size);
    this.#judge(withoutMark(body));
  }

  cut(): void {
    // Nothing was read of it yet.
  }

  failure(fault: Fault): string {
    throw new Error(`nothing of a collected answer was sent, so ${fault.code} is told whole`);
  }
}

/** A byte order mark before JSON means nothing (RFC 8259, section 8.1), and most parsers refuse it. */
function withoutMark(body: Buffer): Buffer {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body;
}

/** Largest answer that is held in memory to be checked whole before it is passed on. */
const WHOLE_ANSWER_BYTES = 64 * 1024 * 1024;

/** A JSON answer, passed on by `judge` only when it is known to be whole and an answer. */
export function wholeAnswer(judge: (body: Buffer) => void): AnswerSink {
  const tooLarge = () => new Fault('upstream_error', 'The upstream sent an answer larger than 64 MB.');
  return new CollectedAnswer(WHOLE_ANSWER_BYTES, judge, tooLarge);
}

/**
 * The client's side of a streamed answer. What comes before the first content is held: until then another
 * attempt can still take over unseen. Where policies judge answers, nothing passes that they have not judged.
 */
export class ClientStream implements ClientOut {
  started = false;
  #x: Exchange;
  #held: (Buffer | string)[] = [];
  #gate: StreamGate | null;
  /** There is content, of which the gate has not passed any yet. */
  #isDue = false;

  constructor(x: Exchange) {
    this.#x = x;
    this.#gate = x.judged.gate && new StreamGate(x, x.judged.gate);
  }

  pass(bytes: Buffer | string): boolean {
    return this.#gate ? this.#passJudged(this.#gate, bytes) : this.#tell(bytes);
  }

  start(): void {
    if (this.#gate) this.#isDue = true;
    else this.#open();
  }

  end(): void {
    if (this.#gate) this.#endJudged(this.#gate);
    if (!this.started) this.#open();
    this.#x.client.end();
  }

  judgeEnd<Bytes extends Buffer | string>(bytes: Bytes): Bytes | Buffer {
    const gate = this.#gate;
    if (gate === null) return bytes;
    const judged = Buffer.concat([gate.pass(bytes), gate.end()]);
    if (gate.fault) throw gate.fault;
    this.#gate = null;
    return judged;
  }

  failure(fault: Fault): string | null {
    return this.#gate?.fault ? this.#gate.failure(fault) : null;
  }

  #passJudged(gate: StreamGate, bytes: Buffer | string): boolean {
    const good = gate.pass(bytes);
    // Of an answer that is denied before any content nothing is told: it is refused as a whole.
    const opens = this.#isDue && !this.started && (gate.fault === null || gate.content);
    const flowing = good.length === 0 || this.#tell(good);
    if (opens) this.#open();
    if (gate.fault) throw gate.fault;
    return flowing;
  }

  #endJudged(gate: StreamGate): void {
    const rest = gate.end();
    if (gate.fault) throw gate.fault;
    if (rest.length > 0) this.#tell(rest);
  }

  #tell(bytes: Buffer | string): boolean {
    if (this.started) return this.#x.client.write(bytes);
    this.#held.push(bytes);
    return true;
  }

  #open(): void {
    const { client, gateway, progress } = this.#x;
    this.started = true;
    if (!progress.hasHead) client.open(200, streamHeaders(this.#x));
    progress.contentSent(gateway.clock.monotonic());
    for (const bytes of this.#held) client.write(bytes);
    this.#held = [];
  }
}
