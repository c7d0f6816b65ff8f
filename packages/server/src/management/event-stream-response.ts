import * as z from 'zod';

/** A `text/event-stream` response that is sent until its reader disconnects or it ends. */
export class EventStreamResponse {
  readonly chunks: AsyncIterableIterator<string>;
  /** Aborts if the connection must end without waiting for its reader. */
  readonly endSignal: AbortSignal;

  constructor(chunks: AsyncIterableIterator<string>, endSignal: AbortSignal) {
    this.chunks = chunks;
    this.endSignal = endSignal;
  }

  /** Releases the stream without reading it. */
  async discard(): Promise<void> {
    await this.chunks.return?.();
  }
}

/** What the transport provides for a request that may return an `EventStreamResponse`. */
export interface EventStreamContext {
  readonly lastEventId: string | undefined;
  /** Whether the caller still has access. Called repeatedly while the stream is open. */
  isAllowed(): Promise<boolean>;
}

/** The response schema of operations that return an event stream. */
export const eventStreamSchema = z.instanceof(EventStreamResponse);
