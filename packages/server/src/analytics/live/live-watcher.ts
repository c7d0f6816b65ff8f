import type { EventStreamTopic } from '@floe/contract/api/events';
import type { ExchangeFilters } from '../../store/exchange-filters.ts';
import type { LiveEventPosition } from '../../store/live-events.ts';

/**
 * Maximum number of characters that wait for one reader. A watcher with more receives further events only
 * after it has read them.
 */
const MAX_PENDING_CHARS = 256 * 1024;

/** The events that a watcher receives. */
export interface LiveSubscription {
  readonly orgId: string;
  readonly topics: ReadonlySet<EventStreamTopic>;
  /** Filters for the topic `requests`. */
  readonly filters: ExchangeFilters;
  /** The position after which events start. Null to start with new events. */
  readonly after: LiveEventPosition | null;
  /** Returns whether the caller still has permission to read these events. */
  isAllowed(): Promise<boolean>;
}

/**
 * Delivers live events to one client. Buffers a limited amount of text. A slow client misses no events:
 * after it has read the whole buffer, the watcher reads the next events from the store.
 */
export class LiveWatcher implements AsyncIterableIterator<string> {
  readonly subscription: LiveSubscription;
  /** Identifies the filters. Rows are read and formatted once for all watchers with equal filters. */
  readonly filterKey: string;
  /** The position up to which the watcher has received all events. Null before it starts. */
  position: LiveEventPosition | null;
  /** The id of the last event of the organization up to `position`. Empty before the watcher starts. */
  eventId = '';
  /** Whether the watcher has received all missed events, so that it may receive new ones. */
  isCaughtUp = false;
  readonly #ended: (watcher: LiveWatcher) => void;
  readonly #disconnectSignal = new AbortController();
  #waiting: string[] = [];
  #pendingChars = 0;
  #reader: ((result: IteratorResult<string, undefined>) => void) | null = null;
  #isOver = false;
  /** Since when text has been waiting, in monotonic milliseconds. Null if no text is waiting. */
  pendingSince: number | null = null;

  constructor(subscription: LiveSubscription, ended: (watcher: LiveWatcher) => void) {
    this.subscription = subscription;
    this.position = subscription.after;
    this.filterKey = JSON.stringify(subscription.filters);
    this.#ended = ended;
  }

  /** Aborts when the connection must end without waiting for its reader. */
  get disconnectSignal(): AbortSignal {
    return this.#disconnectSignal.signal;
  }

  /** Whether no text is waiting. */
  get isIdle(): boolean {
    return this.#waiting.length === 0;
  }

  /** Whether the reader has read most of its text, so that more events can be read for it. */
  get hasCapacity(): boolean {
    return this.#pendingChars < MAX_PENDING_CHARS / 4;
  }

  get pendingChars(): number {
    return this.#pendingChars;
  }

  /** Adds a text. Returns false, and adds nothing, if the buffer is full. */
  enqueue(text: string, nowMs: number): boolean {
    if (this.#isOver) return true;
    if (this.#reader) {
      const reader = this.#reader;
      this.#reader = null;
      reader({ done: false, value: text });
      return true;
    }
    if (this.#pendingChars + text.length > MAX_PENDING_CHARS) return false;
    this.#waiting.push(text);
    this.#pendingChars += text.length;
    this.pendingSince ??= nowMs;
    return true;
  }

  /**
   * Adds an event, so that proxies do not close an idle connection. It is an event rather than a comment, so that
   * browsers can detect a dead connection. It contains the id of the organization's last event, so that a client
   * that receives no other events can continue there.
   */
  sendHeartbeat(nowMs: number): void {
    if (this.isCaughtUp && this.isIdle) this.enqueue(`event: beat\ndata: {}\nid: ${this.eventId}\n\n`, nowMs);
  }

  next(): Promise<IteratorResult<string, undefined>> {
    if (this.#waiting.length > 0) {
      const value = this.#waiting.join('');
      this.#waiting = [];
      this.#pendingChars = 0;
      this.pendingSince = null;
      return Promise.resolve({ done: false, value });
    }
    if (this.#isOver) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => {
      this.#reader = resolve;
    });
  }

  /** Ends the watcher, because its reader has disconnected. */
  return(): Promise<IteratorResult<string, undefined>> {
    this.end();
    this.#waiting = [];
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Ends the stream after the text that is waiting. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#reader?.({ done: true, value: undefined });
    this.#reader = null;
    this.#ended(this);
  }

  /** Closes the connection of a reader that does not read. */
  disconnect(): void {
    this.end();
    this.#disconnectSignal.abort();
  }
}
