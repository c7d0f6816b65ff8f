import type { Fault } from '@floe/contract/faults';
import type { KeepAliveTimer } from './deadlines.ts';
import type { StreamReplay } from './stream-replay.ts';

/** Whoever wrote to the client last tells it an error: text that ends its stream, or null where the connection must break. */
interface StreamErrorFormatter {
  formatError(fault: Fault): string | null;
}

/** What keeps the client of a stream from giving up while nothing has come. */
interface StreamKeepAlive extends KeepAliveTimer {
  /** Takes the first chunk of an answer ahead of its content; true when the client has it. */
  sendFirstChunk(chunk: string): boolean;
}

/** How far the client's answer has got, and so how it is told an error. */
export type AnswerStage =
  /** Nothing was sent: an error is an answer of its own. */
  | { readonly name: 'nothing' }
  /** The head of a stream and no content: another target may still answer. */
  | { readonly name: 'head'; readonly errorFormatter: StreamErrorFormatter }
  /** Content, which comes from an attempt under way. */
  | { readonly name: 'content' }
  /** Content of an attempt that broke off. */
  | { readonly name: 'broken'; readonly errorFormatter: StreamErrorFormatter };

const STAGE_NOTHING: AnswerStage = { name: 'nothing' };
const STAGE_CONTENT: AnswerStage = { name: 'content' };

/** Knows how far the answer to one client has got. */
export class AnswerProgress {
  #stage: AnswerStage = STAGE_NOTHING;
  #keepAlive: StreamKeepAlive | null = null;
  #replay: StreamReplay | null = null;
  #firstTokenAt: number | null = null;

  get stage(): AnswerStage {
    return this.#stage;
  }

  /** Of a stream: what keeps its client from giving up while nothing has come. */
  get keepAlive(): StreamKeepAlive | null {
    return this.#keepAlive;
  }

  /** Of a stream that may be generated again: what has been delivered. */
  get replay(): StreamReplay | null {
    return this.#replay;
  }

  /** When the first content went to the client, monotonic milliseconds. */
  get firstTokenAt(): number | null {
    return this.#firstTokenAt;
  }

  /** Whether the client has the head of its answer already. */
  get isHeadSent(): boolean {
    return this.#stage.name !== 'nothing';
  }

  /** Whether an attempt broke off after content: what follows must continue it, or be its end. */
  get isBroken(): boolean {
    return this.#stage.name === 'broken';
  }

  setKeepAlive(keepAlive: StreamKeepAlive): void {
    this.#keepAlive = keepAlive;
  }

  markHeadSent(errorFormatter: StreamErrorFormatter): void {
    if (this.#stage.name === 'nothing') this.#stage = { name: 'head', errorFormatter };
  }

  markContentSent(atMs: number): void {
    this.#firstTokenAt = atMs;
    this.#stage = STAGE_CONTENT;
  }

  markBroken(errorFormatter: StreamErrorFormatter): void {
    this.#stage = { name: 'broken', errorFormatter };
  }

  setReplay(replay: StreamReplay): void {
    this.#replay = replay;
  }
}
