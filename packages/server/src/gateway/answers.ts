import { Fault } from '@floe/contract/faults';
import { ChatStreamForward, forwardChatAnswer } from '@floe/wire/chat/forward';
import { answerHeaders, streamHeaders } from './answer-headers.ts';
import type { Exchange } from './exchange-record.ts';

/** Largest answer that is held in memory to be checked whole before it is passed on. */
const WHOLE_ANSWER_BYTES = 64 * 1024 * 1024;

/** What takes an upstream's bytes to the client. Throws a `Fault` at the point where it is known. */
export interface AnswerSink {
  /** Returns `false` when the client reads slower than the upstream writes. */
  push(chunk: Buffer): boolean;
  /** The upstream has ended; throws when what came is no whole answer. */
  end(): void;
  /** Content has been seen, so the first-token deadline is met. */
  readonly started: boolean;
  /** The client has its whole answer already, though the upstream has not ended. */
  readonly whole: boolean;
}

export interface ForwardSettings {
  readonly stripReasoning: boolean;
  readonly thinkTags: boolean;
  readonly usageFrameIsOurs: boolean;
}

/** A stream of the client's own dialect: whole frames pass, a fault stops them at a frame's edge. */
export class StreamAnswer implements AnswerSink {
  #x: Exchange;
  #forward: ChatStreamForward;
  #held: Buffer[] = [];
  started = false;

  constructor(x: Exchange, settings: ForwardSettings) {
    this.#x = x;
    this.#forward = new ChatStreamForward({
      stripReasoning: settings.stripReasoning,
      thinkTags: settings.thinkTags,
      dropUsageFrame: settings.usageFrameIsOurs,
      choices: x.ask?.choices ?? 1,
    });
  }

  get whole(): boolean {
    return this.#forward.done;
  }

  push(chunk: Buffer): boolean {
    const forward = this.#forward;
    const out = forward.push(chunk);
    if (!this.started && forward.content) this.#start();
    const flowing = out === undefined || this.#pass(out);
    this.#note();
    if (forward.fault) throw forward.fault;
    if (forward.done) this.#x.client.end();
    return flowing;
  }

  end(): void {
    const fault = this.#forward.end();
    this.#note();
    if (fault) throw fault;
    if (!this.started) this.#start();
    this.#x.client.end();
  }

  /** Frames before the first content are held: until then another attempt can still take over unseen. */
  #pass(out: Buffer): boolean {
    if (this.started) return this.#x.client.write(out);
    this.#held.push(out);
    return true;
  }

  #start(): void {
    const { client, gateway } = this.#x;
    this.started = true;
    this.#x.firstTokenAt = gateway.clock.monotonic();
    client.open(200, streamHeaders(this.#x));
    for (const bytes of this.#held) client.write(bytes);
    this.#held = [];
  }

  #note(): void {
    this.#x.usage = this.#forward.usage ?? this.#x.usage;
    this.#x.finish = this.#forward.finish?.raw ?? this.#x.finish;
  }
}

/** A JSON answer: passed on only when it is known to be whole and an answer. */
export class WholeAnswer implements AnswerSink {
  readonly started = false;
  readonly whole = false;
  #x: Exchange;
  #settings: ForwardSettings;
  #chunks: Buffer[] = [];
  #size = 0;

  constructor(x: Exchange, settings: ForwardSettings) {
    this.#x = x;
    this.#settings = settings;
  }

  push(chunk: Buffer): boolean {
    this.#size += chunk.length;
    if (this.#size > WHOLE_ANSWER_BYTES)
      throw new Fault('upstream_error', 'The upstream sent an answer larger than 64 MB.');
    this.#chunks.push(chunk);
    return true;
  }

  end(): void {
    const x = this.#x;
    const bytes =
      this.#chunks.length === 1 && this.#chunks[0]
        ? this.#chunks[0]
        : Buffer.concat(this.#chunks, this.#size);
    const { body, usage, finish, fault } = forwardChatAnswer(bytes, {
      stripReasoning: this.#settings.stripReasoning,
      thinkTags: this.#settings.thinkTags,
    });
    x.usage = usage ?? null;
    x.finish = finish?.raw ?? null;
    if (fault) throw fault;
    x.client.answer(200, answerHeaders(x, 'application/json'), body);
  }
}

/** An error answer: collected so far as it is worth reading, then judged. */
export class RefusedAnswer implements AnswerSink {
  readonly started = false;
  readonly whole = false;
  #judge: (body: Buffer) => Error;
  #chunks: Buffer[] = [];
  #size = 0;

  constructor(judge: (body: Buffer) => Error) {
    this.#judge = judge;
  }

  push(chunk: Buffer): boolean {
    this.#size += chunk.length;
    if (this.#size > 1024 * 1024) throw this.#judge(Buffer.concat(this.#chunks));
    this.#chunks.push(chunk);
    return true;
  }

  end(): void {
    throw this.#judge(Buffer.concat(this.#chunks));
  }
}
