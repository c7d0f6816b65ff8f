import type { EventTopic } from '@floe/contract/api/events';
import type { ExchangeFilters } from '../../store/exchange-filters.ts';
import type { LiveEventPosition } from '../../store/live-events.ts';

/** Text that may wait for one reader; beyond it, it is told no more until it has read that. */
const MAX_PENDING_CHARS = 256 * 1024;

export interface LiveSubscription {
  readonly orgId: string;
  readonly topics: ReadonlySet<EventTopic>;
  /** For the topic `requests`. */
  readonly filters: ExchangeFilters;
  /** Where to go on from; null: from now on. */
  readonly after: LiveEventPosition | null;
  /** Whether it may still watch. Asked once a second. */
  isAllowed(): Promise<boolean>;
}

/**
 * One reader of live events: gives text out as it is asked for, and holds a bounded piece of it until then. One
 * that does not keep up misses nothing for that: it goes on from its position once it has read what waits.
 */
export class LiveWatcher implements AsyncIterableIterator<string> {
  readonly subscription: LiveSubscription;
  /** Watchers with equal filters share what is read and written for them. */
  readonly filterKey: string;
  /** Up to where it was told everything; null until it has begun. */
  position: LiveEventPosition | null;
  /** False while it has to be told what it missed before what is new. */
  isCaughtUp = false;
  readonly #ended: (watcher: LiveWatcher) => void;
  readonly #disconnectSignal = new AbortController();
  #waiting: string[] = [];
  #pendingChars = 0;
  #reader: ((result: IteratorResult<string, undefined>) => void) | null = null;
  #isOver = false;
  /** Monotonic milliseconds since which text has waited; null while none does. */
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

  /** Nothing waits for it. */
  get isIdle(): boolean {
    return this.#waiting.length === 0;
  }

  /** It has read most of what waited, so that more is worth reading for it. */
  get hasCapacity(): boolean {
    return this.#pendingChars < MAX_PENDING_CHARS / 4;
  }

  get pendingChars(): number {
    return this.#pendingChars;
  }

  /** False when too much waits already; then nothing was taken. */
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

  /** Its reader left. */
  return(): Promise<IteratorResult<string, undefined>> {
    this.end();
    this.#waiting = [];
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** No more after what waits. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#reader?.({ done: true, value: undefined });
    this.#reader = null;
    this.#ended(this);
  }

  /** Ends a connection whose reader does not read. */
  disconnect(): void {
    this.end();
    this.#disconnectSignal.abort();
  }
}
