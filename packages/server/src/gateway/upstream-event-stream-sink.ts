import type { Fault } from '@floe/contract/faults';
import type { ResponseStreamReader } from '@floe/wire/dialect';
import { parseSseFrame, SseFramer } from '@floe/wire/sse';
import type { ResponseSink } from './attempt-plan.ts';
import { BufferedResponseLimiter } from './buffered-response-limiter.ts';

/** Splits a provider's stream into frames, and passes them to the reader of the dialect. */
export class UpstreamEventStreamSink implements ResponseSink {
  readonly hasContent = false;
  readonly isContentSent = false;
  readonly isComplete = false;
  #framer = new SseFramer();
  #reader: ResponseStreamReader;
  #size: BufferedResponseLimiter | null;

  /** @param isKept whether the response is kept in memory, and therefore has a maximum size */
  constructor(reader: ResponseStreamReader, isKept: boolean) {
    this.#reader = reader;
    this.#size = isKept ? new BufferedResponseLimiter() : null;
  }

  push(chunk: Buffer): boolean {
    this.#size?.add(chunk.length);
    const { bytes, lead, ends } = this.#framer.push(chunk);
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
    this.#reader.end();
  }

  formatError(fault: Fault): string {
    throw new Error(`unreachable: the reader of a provider response does not format errors (${fault.code})`);
  }
}
