import type { RequestTailPage } from '@floe/contract/api/analytics';
import type { LiveBatch } from './live-rows.ts';

/** The fields of a server-sent event that the request list uses. */
export interface TailEvent {
  /** ID of the preceding event, or null if unknown. `id` is the event’s own ID. */
  readonly after: string | null;
  readonly id: string | null;
  /** The rows of the event. Null if the event only signals that new rows exist. */
  readonly batch: LiveBatch | null;
}

/** An event that does not say which requests are new. The reader must fetch them. */
export const REFETCH_TAIL_EVENT: TailEvent = { after: null, id: null, batch: null };

/**
 * Maximum number of events to keep while the tab is hidden. After that, a single request fetches all their
 * rows.
 */
const MAX_EVENTS = 200;

/** The functions that a `TailReader` calls, and its settings. */
export interface TailReaderOptions {
  /**
   * Fetches the requests between two event IDs. Without the second ID, fetches all requests after the first.
   */
  readonly fetchTail: (after: string, until: string | null) => Promise<RequestTailPage>;
  readonly addBatch: (batch: LiveBatch) => void;
  /** Returns whether the user is watching the list. If so, rows that an event only counts are fetched. */
  readonly isWatched: () => boolean;
  /**
   * Whether the rows of events can be used directly. False for a filtered list, for which an event only
   * causes a fetch.
   */
  readonly acceptsEvents: boolean;
}

/**
 * Keeps a request list complete while requests arrive. The list is complete up to the ID of an event. If the
 * next event directly follows that ID, the reader adds the rows in the event. Otherwise, it fetches the missing
 * rows. Each request is therefore added exactly once, even if the event stream repeats events or is
 * interrupted.
 */
export class TailReader {
  readonly #options: TailReaderOptions;
  #events: TailEvent[] = [];
  #position: string | null = null;
  #startedFrom: string | null = null;
  /** Number of the current list. Responses that belong to a previous list are discarded. */
  #list = 0;
  #isReading = false;

  constructor(options: TailReaderOptions) {
    this.#options = options;
  }

  /**
   * Starts from a list that is complete up to this ID. The same ID again has no effect, because later rows
   * are already added.
   */
  startFrom(id: string): void {
    if (id === this.#startedFrom) return;
    this.#startedFrom = id;
    this.#position = id;
    this.#list += 1;
  }

  addEvent(event: TailEvent): void {
    this.#events.push(event);
    if (this.#events.length > MAX_EVENTS) this.#events = [{ ...REFETCH_TAIL_EVENT, id: event.id }];
  }

  /**
   * Processes all received events. Rejects if the server cannot be reached; the events are then processed on
   * the next call.
   */
  async read(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      while (this.#position !== null && this.#events.length > 0) await this.#readOnce(this.#position);
    } finally {
      this.#isReading = false;
    }
  }

  async #readOnce(from: string): Promise<void> {
    const events = this.#events;
    this.#events = [];
    const { position, rest } = this.#join(from, events);
    this.#position = position;
    const last = rest.at(-1);
    if (!last) return;
    const list = this.#list;
    let answer: RequestTailPage;
    try {
      answer = await this.#options.fetchTail(position, last.id);
    } catch (error) {
      this.#events.unshift({ ...REFETCH_TAIL_EVENT, id: last.id });
      throw error;
    }
    if (list !== this.#list) return void this.#events.unshift({ ...REFETCH_TAIL_EVENT, id: last.id });
    this.#position = answer.live_id;
    const { count, data, resync } = answer;
    if (count > 0 || resync)
      this.#options.addBatch({ rows: data, omitted: resync ? null : Math.max(0, count - data.length) });
  }

  /**
   * Applies consecutive events, starting at `from`. Returns the ID up to which the list is then complete, and the
   * events that may follow it.
   */
  #join(from: string, events: readonly TailEvent[]) {
    let position = from;
    let rest = events;
    const { acceptsEvents, isWatched, addBatch } = this.#options;
    for (const [index, { after, id, batch }] of events.entries()) {
      const isUsable = acceptsEvents && batch !== null && (batch.omitted === 0 || !isWatched());
      if (isUsable && id !== null && after === position) {
        addBatch(batch);
        position = id;
      }
      if (id === position) rest = events.slice(index + 1);
    }
    return { position, rest };
  }
}
