import { Fault } from '@floe/contract/faults';
import { AwsEventStreamTranscoder } from '@floe/wire/converse/aws-event-stream';
import type { ResponseSink } from './attempt-plan.ts';
import { BufferedResponseLimiter } from './buffered-response-limiter.ts';
import type { ExchangeCapacity } from './overload/overload-manager.ts';

/** Converts a binary event stream to server-sent events and passes them to another sink. */
export class BinaryFrameSink implements ResponseSink {
  readonly #sink: ResponseSink;
  readonly #transcoder = new AwsEventStreamTranscoder();

  /** For the incomplete frame. */
  readonly #memory: BufferedResponseLimiter;

  constructor(capacity: ExchangeCapacity, sink: ResponseSink) {
    this.#memory = new BufferedResponseLimiter(capacity);
    this.#sink = sink;
  }

  get hasContent(): boolean {
    return this.#sink.hasContent;
  }

  get isContentSent(): boolean {
    return this.#sink.isContentSent;
  }

  get isComplete(): boolean {
    return this.#sink.isComplete;
  }

  push(chunk: Buffer): boolean {
    const { sse, fault } = this.#transcoder.push(chunk);
    const isFlowing = sse.length === 0 || this.#sink.push(sse);
    // Bytes after the end of a response are ignored.
    if (fault && !this.#sink.isComplete) throw fault;
    this.#memory.reserve(this.#transcoder.rest);
    return isFlowing;
  }

  end(): void {
    if (this.#transcoder.rest === 0) this.#sink.end();
    else if (!this.tryComplete())
      throw new Fault(
        'upstream_stream_broken',
        'The provider closed the stream in the middle of a frame. Send the request again.',
      );
  }

  tryComplete(): boolean {
    return this.#sink.tryComplete?.() ?? false;
  }

  abort(): void {
    this.#memory.release();
    this.#sink.abort();
  }

  formatError(fault: Fault): string | null {
    return this.#sink.formatError(fault);
  }
}
