import type { Fault } from '@floe/contract/faults';
import type { KeepAliveTimer } from './attempt-deadlines.ts';
import type { StreamReplay } from './stream-replay.ts';

/** Formats an error for a stream whose head has been sent. */
interface StreamErrorFormatter {
  formatError(fault: Fault): string | null;
}

/** Keeps the client of a stream connected until there is content. */
interface StreamKeepAlive extends KeepAliveTimer {
  /** Sends the first chunk of a response before its content. Returns true if the client has received it. */
  sendFirstChunk(chunk: string): boolean;
}

/** How much of the response the client has received. It determines how an error is sent. */
export type ResponseStage =
  /** Nothing was sent. An error is sent as a separate response. */
  | { readonly name: 'nothing' }
  /** Only the head of a stream was sent. Another target may still provide the response. */
  | { readonly name: 'head'; readonly errorFormatter: StreamErrorFormatter }
  /** Content of the current attempt was sent. */
  | { readonly name: 'content' }
  /** Content of an attempt that failed was sent. */
  | { readonly name: 'broken'; readonly errorFormatter: StreamErrorFormatter };

const STAGE_NOTHING: ResponseStage = { name: 'nothing' };
const STAGE_CONTENT: ResponseStage = { name: 'content' };

/** Tracks how much of its response a client has received. */
export class ResponseProgress {
  #stage: ResponseStage = STAGE_NOTHING;
  #keepAlive: StreamKeepAlive | null = null;
  #replay: StreamReplay | null = null;
  #firstTokenAt: number | null = null;

  get stage(): ResponseStage {
    return this.#stage;
  }

  /** The keep-alive of a stream; null for a response that is not a stream. */
  get keepAlive(): StreamKeepAlive | null {
    return this.#keepAlive;
  }

  /** The replay of a stream; null if the stream cannot be generated again. */
  get replay(): StreamReplay | null {
    return this.#replay;
  }

  /** When the first content was sent to the client, in monotonic milliseconds. */
  get firstTokenAt(): number | null {
    return this.#firstTokenAt;
  }

  /** Whether the client has received the head of its response. */
  get isHeadSent(): boolean {
    return this.#stage.name !== 'nothing';
  }

  /** Whether an attempt failed after content. The stream must then be continued or ended. */
  get isBroken(): boolean {
    return this.#stage.name === 'broken';
  }

  setKeepAlive(keepAlive: StreamKeepAlive): void {
    this.#keepAlive = keepAlive;
  }

  markHeadSent(errorFormatter: StreamErrorFormatter): void {
    if (this.#stage.name === 'nothing') this.#stage = { name: 'head', errorFormatter };
  }

  /** @param atMs null if only the announcement of a response was sent, which is not a token */
  markContentSent(atMs: number | null): void {
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
