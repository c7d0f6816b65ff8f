import * as z from 'zod';

/** An answer that goes on: text of `text/event-stream`, sent as it comes, until its reader leaves or it ends. */
export class EventStream {
  readonly parts: AsyncIterableIterator<string>;
  /** Aborts when the connection must end without waiting for its reader. */
  readonly cut: AbortSignal;

  constructor(parts: AsyncIterableIterator<string>, cut: AbortSignal) {
    this.parts = parts;
    this.cut = cut;
  }

  /** Gives it up unread. */
  async drop(): Promise<void> {
    await this.parts.return?.();
  }
}

/** What a transport says about a request whose answer may be an `EventStream`. */
export interface Watch {
  readonly lastEventId: string | undefined;
  /** Whether whoever asked still may: asked again and again while the answer goes on. */
  isAllowed(): Promise<boolean>;
}

export const eventStream = z.instanceof(EventStream);
