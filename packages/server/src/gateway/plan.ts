import type { Fault } from '@floe/contract/faults';
import type { UpstreamRequest, UpstreamResponse, UpstreamResponseHead } from '../providers/transport.ts';
import type { Upload } from './opaque/upload.ts';

/** What takes an upstream's bytes to the client. Throws a `Fault` at the point where it is known. */
export interface AnswerSink {
  /** Returns `false` when the client reads slower than the upstream writes. */
  push(chunk: Buffer): boolean;
  /** The upstream has ended; throws when what came is no whole answer. */
  end(): void;
  /** Content has come from the upstream: the first-token deadline is met. */
  readonly hasContent: boolean;
  /** Content has gone to the client: no other attempt can take over unseen. */
  readonly isContentSent: boolean;
  /** The client has its whole answer already, though the upstream has not ended. */
  readonly isComplete: boolean;
  /**
   * The connection broke, or fell silent for good. True when the answer's finish had come before and the client now has
   * all of it: what a provider sends behind its finish says nothing more. Absent: such an answer is cut.
   */
  tryComplete?(): boolean;
  /** The upstream is gone in the middle of it: usage it had told before is noted. */
  abort(): void;
  /**
   * How this answer tells a fault after content: text of the client's stream, after which it ends. Null where
   * the bytes are not ours to add to: the connection is broken instead.
   */
  formatError(fault: Fault): string | null;
}

/** How one attempt speaks with its target: what goes up, and what takes the answer down. */
export interface AttemptPlan {
  readonly request: UpstreamRequest;
  /** Hints this target cannot carry, by field path. */
  readonly dropped: readonly string[];
  /** The request's body when it is sent as it arrives. */
  readonly upload?: Upload;
  /** Takes an answer of any status and kind as it is; such a plan's `answer` and `refusal` are not asked. */
  readonly createRawSink?: (head: UpstreamResponseHead) => AnswerSink;
  /** Takes a 2xx answer, which came as an event stream or as one body, whatever was asked for. */
  createSink(streamed: boolean): AnswerSink;
  /** What an error answer means for the client. */
  toError(answer: UpstreamResponse): Error;
}
