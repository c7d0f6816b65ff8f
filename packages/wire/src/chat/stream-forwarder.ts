import { Buffer } from 'node:buffer';
import { Fault } from '@floe/contract/faults';
import type { ResponseFinish } from '../finish-reason.ts';
import { applyByteEdits } from '../json-edits.ts';
import { JsonSyntaxError } from '../json-syntax-error.ts';
import { formatSseFrame, locateSseFrameData, type SseFrameData, SseFramer, type SseFrames } from '../sse.ts';
import { createErrorEventFault } from '../upstream-fault.ts';
import type { Usage } from '../usage.ts';
import { ChatResponseScanner, type ChatScanOptions } from './chat-scanner.ts';

/** The settings for forwarding a Chat stream. */
export interface ChatForwardOptions extends ChatScanOptions {
  /** Whether to remove the usage chunk without choices, because only the gateway requested it. */
  readonly dropUsageFrame: boolean;
  /** Number of choices that the client requested (`n`). Defaults to 1. */
  readonly choices: number;
}

/** Maximum number of choices in a stream. The state of each choice is kept in memory until the end. */
const MAX_CHOICES = 10_000;

/** The action for a frame: forward it, drop it, replace it with other bytes, or end the stream. */
type FrameAction = 'keep' | 'drop' | 'fault' | 'done' | Buffer;

/**
 * Forwards a Chat stream as bytes. Frames are forwarded unchanged, without a copy if nothing is
 * removed. An invalid frame and everything after it are not forwarded. Each frame is validated in
 * one pass over its bytes. Only usage is parsed.
 */
export class ChatStreamForwarder {
  /**
   * Set at most once: an error frame, an invalid or oversized frame, or `[DONE]` before the response was
   * complete.
   */
  fault: Fault | undefined;
  readonly #framer = new SseFramer();
  readonly #walk: ChatResponseScanner;
  readonly #options: ChatForwardOptions;
  #done = false;

  constructor(options: ChatForwardOptions) {
    this.#options = options;
    this.#walk = new ChatResponseScanner({ ...options, countContent: true });
  }

  /** Whether the response contains text, a call, reasoning or a finish. Roles and comments do not count. */
  get hasContent(): boolean {
    return this.#walk.hasContent;
  }

  /**
   * Whether `[DONE]` was forwarded. The client then has the complete response and nothing else is forwarded.
   */
  get done(): boolean {
    return this.#done;
  }

  /** Number of bytes after the last complete frame. */
  get restBytes(): number {
    return this.#framer.restBytes;
  }

  /** UTF-8 bytes of text, reasoning and tool calls so far. */
  get contentBytes(): number {
    return this.#walk.contentBytes;
  }

  /** Number of frames with content. */
  get contentFrameCount(): number {
    return this.#walk.contentFrameCount;
  }

  /** Tokens reported so far. */
  get usage(): Usage | undefined {
    return this.#walk.usage;
  }

  /**
   * The finish so far. If the provider sent several, one that means that the response is incomplete takes precedence.
   */
  get finish(): ResponseFinish | undefined {
    return this.#walk.finish;
  }

  /** The provider's name of the model, as first reported. */
  get model(): string | undefined {
    return this.#walk.model;
  }

  /** The provider's id of the response, as first reported. */
  get id(): string | undefined {
    return this.#walk.id;
  }

  /**
   * Takes the next bytes of the provider and returns the complete frames to forward, or undefined if there
   * are none. Check `fault` afterwards. Never throws a `Fault`.
   */
  push(chunk: Buffer): Buffer | undefined {
    if (this.#done || this.fault !== undefined) return undefined;
    let frames: SseFrames;
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
   * Ends the stream. Returns undefined if every opened choice has finished, otherwise the fault. `[DONE]` is
   * optional; without it, all requested choices must be present. Bytes after the finish are ignored.
   */
  end(): Fault | undefined {
    if (this.fault !== undefined || this.#done) return this.fault;
    if (this.#walk.isFinished && this.#walk.choices.size >= this.#options.choices) return undefined;
    return brokenStreamFault(
      this.#framer.rest().length > 0
        ? 'The provider closed the stream in the middle of an event. Send the request again.'
        : 'The provider closed the stream before the response was complete. Send the request again.',
    );
  }

  #forward({ bytes, lead, ends }: SseFrames): Buffer | undefined {
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

  #frame(frame: Buffer): FrameAction {
    let data: SseFrameData | undefined;
    try {
      data = locateSseFrameData(frame);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return this.#fail(error);
    }
    if (data === undefined || data.start === data.end) return 'keep';
    if (isDoneFrame(data)) return this.#doneVerdict();
    if (data.event === 'error') return this.#fail(createErrorEventFault(frameText(data)));
    try {
      if (!this.#walk.read(data.bytes, data.start, data.end)) return this.#notAChunk(data);
    } catch (error) {
      if (!(error instanceof JsonSyntaxError)) throw error;
      return this.#fail(
        brokenStreamFault(
          'The provider sent a stream event that is not valid JSON. Send the request again.',
          frameText(data),
        ),
      );
    }
    if (this.#walk.hasError) return this.#fail(createErrorEventFault(frameText(data)));
    if (this.#walk.choices.size > MAX_CHOICES)
      return this.#fail(
        new Fault('upstream_error', 'The provider sent more than 10,000 choices. Request fewer.'),
      );
    if (this.#options.dropUsageFrame && this.#walk.hasUsage && !this.#walk.hasChoices) return 'drop';
    if (this.#walk.edits.length === 0) return 'keep';
    const edited = applyByteEdits(data.bytes, this.#walk.edits);
    return data.bytes === frame ? edited : rewriteFrame(data, edited);
  }

  /** `[DONE]` after an incomplete response would make the client treat the response as complete. */
  #doneVerdict(): FrameAction {
    if (!this.#walk.isFinished)
      return this.#fail(
        brokenStreamFault(
          'The provider ended the stream before the response was complete. Send the request again.',
        ),
      );
    this.#done = true;
    return 'done';
  }

  /** Some providers wrap an error in an array. Any other value is not a chunk of this dialect. */
  #notAChunk(data: SseFrameData): FrameAction {
    const text = frameText(data);
    if (text.startsWith('[')) return this.#fail(createErrorEventFault(text));
    return this.#fail(
      brokenStreamFault(
        'The provider sent a stream event that is not a JSON object. Send the request again.',
        text,
      ),
    );
  }

  #fail(fault: Fault): 'fault' {
    this.fault = fault;
    return 'fault';
  }
}

function isDoneFrame({ bytes, start, end }: SseFrameData): boolean {
  return (
    bytes[start] === 0x5b &&
    bytes[start + 1] === 0x44 &&
    bytes.toString('latin1', start, end).trim() === '[DONE]'
  );
}

function frameText({ bytes, start, end }: SseFrameData): string {
  return bytes.toString('utf8', start, end);
}

function rewriteFrame(data: SseFrameData, edited: Buffer): Buffer {
  return Buffer.from(formatSseFrame(data.event === 'message' ? undefined : data.event, edited.toString()));
}

function brokenStreamFault(message: string, upstreamBody?: string): Fault {
  return new Fault(
    'upstream_stream_broken',
    message,
    upstreamBody === undefined ? {} : { upstreamBody: upstreamBody.slice(0, 2048) },
  );
}
