import type { Fault } from '@floe/contract/faults';
import type { ResponseStreamReader } from '@floe/wire/dialect';
import { parseSseFrame, SseFramer } from '@floe/wire/sse';
import type { ResponseSink } from './attempt-plan.ts';
import { BufferedResponseLimiter } from './buffered-response-limiter.ts';
import type { Exchange } from './exchange-record.ts';

/** Splits a provider's stream into frames, and passes them to the reader of the dialect. */
export class UpstreamEventStreamSink implements ResponseSink {
  readonly hasContent = false;
  readonly isContentSent = false;
  readonly isComplete = false;
  #framer = new SseFramer();
  #reader: ResponseStreamReader;
  readonly #x: Exchange;
  /** Readers keep the content of a response, such as the arguments of tool calls, so its size is limited. */
  readonly #size: BufferedResponseLimiter;

  constructor(x: Exchange, reader: ResponseStreamReader) {
    this.#x = x;
    this.#size = new BufferedResponseLimiter(x.capacity);
    this.#reader = reader;
  }

  push(chunk: Buffer): boolean {
    const { bytes, lead, ends } = this.#framer.push(chunk);
    this.#size.add(chunk.length, this.#x.answer.contentBytes + this.#framer.restBytes);
    let from = lead;
    for (const end of ends) {
      const event = parseSseFrame(bytes.subarray(from, end));
      if (event) this.#reader.read(event);
      from = end;
    }
    return true;
  }

  end(): void {
    this.#reader.end();
  }

  abort(): void {
    this.#size.release();
    this.#reader.end();
  }

  formatError(fault: Fault): string {
    throw new Error(`unreachable: the reader of a provider response does not format errors (${fault.code})`);
  }
}
