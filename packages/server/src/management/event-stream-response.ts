import * as z from 'zod';

/** An answer that goes on: text of `text/event-stream`, sent as it comes, until its reader leaves or it ends. */
export class EventStreamResponse {
  readonly chunks: AsyncIterableIterator<string>;
  /** Aborts when the connection must end without waiting for its reader. */
  readonly endSignal: AbortSignal;

  constructor(chunks: AsyncIterableIterator<string>, endSignal: AbortSignal) {
    this.chunks = chunks;
    this.endSignal = endSignal;
  }

  /** Gives it up unread. */
  async discard(): Promise<void> {
    await this.chunks.return?.();
  }
}

/** What a transport says about a request whose answer may be an `EventStreamResponse`. */
export interface EventStreamContext {
  readonly lastEventId: string | undefined;
  /** Whether whoever asked still may: asked again and again while the answer goes on. */
  isAllowed(): Promise<boolean>;
}

export const eventStreamSchema = z.instanceof(EventStreamResponse);
