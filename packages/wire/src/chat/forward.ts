import { Buffer } from 'node:buffer';
import { Fault } from '@floe/contract/faults';
import type { Finish } from '../finish.ts';
import { JsonSyntaxError } from '../json-cursor.ts';
import { splice } from '../splice.ts';
import { type FrameData, type Frames, frameData, SseFramer, writeFrame } from '../sse.ts';
import { upstreamErrorFault } from '../upstream-error.ts';
import type { Usage } from '../usage.ts';
import { type ChatCutOptions, ChatWalk } from './walk.ts';

export interface ChatForwardOptions extends ChatCutOptions {
  /** Remove the usage chunk without choices: the gateway asked for it, the client did not. */
  readonly dropUsageFrame: boolean;
  /** How many choices the client asked for (`n`), 1 by default. */
  readonly choices: number;
}

/** What happens to one frame: forwarded as it is, not at all, or in other bytes; or the stream ends at it. */
type Verdict = 'keep' | 'drop' | 'fault' | 'done' | Buffer;

/**
 * Forwards one Chat stream as bytes and watches it. Frames pass unchanged, in the chunk's own memory
 * where nothing is cut; a faulty frame and everything behind it is not forwarded. Every frame is
 * validated in one pass over its bytes; nothing but usage is parsed.
 */
export class ChatStreamForward {
  /** Set once: an error frame, a malformed or oversized frame, or `[DONE]` before the answer was whole. */
  fault: Fault | undefined;
  readonly #framer = new SseFramer();
  readonly #walk: ChatWalk;
  readonly #options: ChatForwardOptions;
  #done = false;

  constructor(options: ChatForwardOptions) {
    this.#options = options;
    this.#walk = new ChatWalk(options);
  }

  /** Whether the answer has begun: text, a call, reasoning or a finish. Roles and comments do not count. */
  get content(): boolean {
    return this.#walk.content;
  }

  /** Whether `[DONE]` was forwarded: the client has its whole answer and nothing more will pass. */
  get done(): boolean {
    return this.#done;
  }

  /** Tokens reported so far. */
  get usage(): Usage | undefined {
    return this.#walk.usage;
  }

  /** The first finish reported. */
  get finish(): Finish | undefined {
    return this.#walk.finish;
  }

  /** The upstream's name of the model, as first reported. */
  get model(): string | undefined {
    return this.#walk.model;
  }

  /** The upstream's id of the answer, as first reported. */
  get id(): string | undefined {
    return this.#walk.id;
  }

  /**
   * Takes the next bytes of the upstream and gives those to forward now: whole frames only, undefined
   * when there are none. Look at `fault` afterwards. Never throws a `Fault`.
   */
  push(chunk: Buffer): Buffer | undefined {
    if (this.#done || this.fault !== undefined) return undefined;
    let frames: Frames;
    try {
      frames = this.#framer.push(chunk);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.fault = error;
      return undefined;
    }
    return this.#forward(frames);
  }

  /**
   * Says at the upstream's end whether the answer is whole: undefined when every opened choice has finished.
   * `[DONE]` is optional; without it all choices asked for must be there. What was cut behind the finish is missed by
   * nobody.
   */
  end(): Fault | undefined {
    if (this.fault !== undefined || this.#done) return this.fault;
    if (this.#walk.finished && this.#walk.choices.size >= this.#options.choices) return undefined;
    return broken(
      this.#framer.rest().length > 0
        ? 'The provider closed the stream within an event.'
        : 'The provider closed the stream before the answer was finished.',
    );
  }

  #forward({ bytes, lead, ends }: Frames): Buffer | undefined {
    const pieces: Buffer[] = [];
    let from = 0;
    let to = lead;
    for (const end of ends) {
      const verdict = this.#frame(bytes.subarray(to, end));
      if (verdict === 'fault') break;
      if (verdict === 'drop' || verdict instanceof Buffer) {
        if (to > from) pieces.push(bytes.subarray(from, to));
        if (verdict !== 'drop') pieces.push(verdict);
        from = end;
      }
      to = end;
      if (verdict === 'done') break;
    }
    if (to > from) pieces.push(from === 0 && to === bytes.length ? bytes : bytes.subarray(from, to));
    return pieces.length > 1 ? Buffer.concat(pieces) : pieces[0];
  }

  #frame(frame: Buffer): Verdict {
    let data: FrameData | undefined;
    try {
      data = frameData(frame);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return this.#fail(error);
    }
    if (data === undefined || data.start === data.end) return 'keep';
    if (isDone(data)) return this.#doneVerdict();
    if (data.event === 'error') return this.#fail(upstreamErrorFault(textOfData(data)));
    try {
      if (!this.#walk.read(data.bytes, data.start, data.end)) return this.#notAChunk(data);
    } catch (error) {
      if (!(error instanceof JsonSyntaxError)) throw error;
      return this.#fail(broken('The provider sent a stream event that is not JSON.', textOfData(data)));
    }
    if (this.#walk.hasError) return this.#fail(upstreamErrorFault(textOfData(data)));
    if (this.#options.dropUsageFrame && this.#walk.hasUsage && !this.#walk.hasChoices) return 'drop';
    if (this.#walk.edits.length === 0) return 'keep';
    const edited = splice(data.bytes, this.#walk.edits);
    return data.bytes === frame ? edited : rewritten(data, edited);
  }

  /** `[DONE]` promises a whole answer; behind half of one it would be an invented finish. */
  #doneVerdict(): Verdict {
    if (!this.#walk.finished)
      return this.#fail(broken('The provider ended the stream before the answer was finished.'));
    this.#done = true;
    return 'done';
  }

  /** Some hosts wrap an error in an array; any other value is no chunk of this dialect. */
  #notAChunk(data: FrameData): Verdict {
    const text = textOfData(data);
    if (text.startsWith('[')) return this.#fail(upstreamErrorFault(text));
    return this.#fail(broken('The provider sent a stream event that is not an object.', text));
  }

  #fail(fault: Fault): 'fault' {
    this.fault = fault;
    return 'fault';
  }
}

function isDone({ bytes, start, end }: FrameData): boolean {
  return (
    bytes[start] === 0x5b &&
    bytes[start + 1] === 0x44 &&
    bytes.toString('latin1', start, end).trim() === '[DONE]'
  );
}

function textOfData({ bytes, start, end }: FrameData): string {
  return bytes.toString('utf8', start, end);
}

function rewritten(data: FrameData, edited: Buffer): Buffer {
  return Buffer.from(writeFrame(data.event === 'message' ? undefined : data.event, edited.toString()));
}

function broken(message: string, upstreamBody?: string): Fault {
  return new Fault(
    'upstream_stream_broken',
    message,
    upstreamBody === undefined ? {} : { upstreamBody: upstreamBody.slice(0, 2048) },
  );
}
