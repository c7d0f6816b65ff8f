import type { Fault } from '@floe/contract/faults';
import type { Quiet } from './deadlines.ts';
import type { Replay } from './replay.ts';

/** Whoever wrote to the client last tells it an error: text that ends its stream, or null where the connection must break. */
interface ErrorTeller {
  failure(fault: Fault): string | null;
}

/** What keeps the client of a stream from giving up while nothing has come. */
interface Waiting extends Quiet {
  /** Takes the first chunk of an answer ahead of its content; true when the client has it. */
  lead(chunk: string): boolean;
}

/** How far the client's answer has got, and so how it is told an error. */
export type Stage =
  /** Nothing was sent: an error is an answer of its own. */
  | { readonly name: 'nothing' }
  /** The head of a stream and no content: another target may still answer. */
  | { readonly name: 'head'; readonly teller: ErrorTeller }
  /** Content, which comes from an attempt under way. */
  | { readonly name: 'content' }
  /** Content of an attempt that broke off. */
  | { readonly name: 'broken'; readonly teller: ErrorTeller };

const NOTHING: Stage = { name: 'nothing' };
const CONTENT: Stage = { name: 'content' };

/** Knows how far the answer to one client has got. */
export class AnswerProgress {
  #stage: Stage = NOTHING;
  #early: Waiting | null = null;
  #replay: Replay | null = null;
  #firstTokenAt: number | null = null;

  get stage(): Stage {
    return this.#stage;
  }

  /** Of a stream: what keeps its client from giving up while nothing has come. */
  get early(): Waiting | null {
    return this.#early;
  }

  /** Of a stream that may be generated again: what has been delivered. */
  get replay(): Replay | null {
    return this.#replay;
  }

  /** When the first content went to the client, monotonic milliseconds. */
  get firstTokenAt(): number | null {
    return this.#firstTokenAt;
  }

  /** Whether the client has the head of its answer already. */
  get hasHead(): boolean {
    return this.#stage.name !== 'nothing';
  }

  /** Whether an attempt broke off after content: what follows must continue it, or be its end. */
  get isBroken(): boolean {
    return this.#stage.name === 'broken';
  }

  keepWaiting(early: Waiting): void {
    this.#early = early;
  }

  headSent(teller: ErrorTeller): void {
    if (this.#stage.name === 'nothing') this.#stage = { name: 'head', teller };
  }

  contentSent(atMs: number): void {
    this.#firstTokenAt = atMs;
    this.#stage = CONTENT;
  }

  brokeOff(teller: ErrorTeller): void {
    this.#stage = { name: 'broken', teller };
  }

  mayReplay(replay: Replay): void {
    this.#replay = replay;
  }
}
