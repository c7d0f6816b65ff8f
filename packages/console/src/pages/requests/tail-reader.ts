import type { RequestTailPage } from '@floe/contract/api/analytics';
import type { LiveBatch } from './live-rows.ts';

/** An event of the stream, as far as a list of requests is concerned. */
export interface TailEvent {
  /** The ids of the stream it lies between; null where nobody knows. */
  readonly after: string | null;
  readonly id: string | null;
  /** Its rows; null when it only says that there is something to read. */
  readonly batch: LiveBatch | null;
}

/** Something may have happened, up to now. */
export const UNKNOWN_TAIL_EVENT: TailEvent = { after: null, id: null, batch: null };

/** So many events are kept apart while nobody looks; then one question answers all of them. */
const MAX_EVENTS = 200;

export interface TailOptions {
  /** The requests between two ids of the stream, as the API tells them; up to now without the second. */
  readonly fetchTail: (after: string, until: string | null) => Promise<RequestTailPage>;
  readonly addBatch: (batch: LiveBatch) => void;
  /** Whether somebody watches the rows come: then those that an event only counts are asked for. */
  readonly isWatched: () => boolean;
  /** False for a list with filters, which events know nothing of: then each is only a reason to ask. */
  readonly acceptsEvents: boolean;
}

/**
 * Goes on from a list that is exact up to one id of the event stream. An event that begins where the list stands is
 * taken as it is; before any other the server is asked for what lies between. So each request is taken once, whatever
 * the stream did: repeated itself, began anew, was shared by tabs, or was away.
 */
export class TailReader {
  readonly #options: TailOptions;
  #events: TailEvent[] = [];
  #position: string | null = null;
  #startedFrom: string | null = null;
  /** Of the list it goes on from: what was asked for another one is not taken. */
  #list = 0;
  #isReading = false;

  constructor(options: TailOptions) {
    this.#options = options;
  }

  /** A list was read that is exact up to this id. The same list again changes nothing: what came since is taken. */
  startFrom(id: string): void {
    if (id === this.#startedFrom) return;
    this.#startedFrom = id;
    this.#position = id;
    this.#list += 1;
  }

  addEvent(told: TailEvent): void {
    this.#events.push(told);
    if (this.#events.length > MAX_EVENTS) this.#events = [{ ...UNKNOWN_TAIL_EVENT, id: told.id }];
  }

  /** Takes all that was told. Rejects when the server could not be asked; what is owed then is asked for the next time. */
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
    const told = this.#events;
    this.#events = [];
    const stands = this.#join(from, told);
    this.#position = stands;
    const rest = told.filter(({ id }) => id === null || isBefore(stands, id));
    const last = rest.at(-1);
    if (!last) return;
    const list = this.#list;
    let answer: RequestTailPage;
    try {
      answer = await this.#options.fetchTail(stands, last.id);
    } catch (error) {
      this.#events.unshift({ ...UNKNOWN_TAIL_EVENT, id: last.id });
      throw error;
    }
    if (list !== this.#list) return void this.#events.unshift({ ...UNKNOWN_TAIL_EVENT, id: last.id });
    this.#position = answer.live_id;
    const { count, data, resync } = answer;
    if (count > 0 || resync)
      this.#options.addBatch({ rows: data, omitted: resync ? null : Math.max(0, count - data.length) });
  }

  /** Takes the events that follow one upon the other; returns where the list stands then. */
  #join(from: string, told: readonly TailEvent[]): string {
    let stands = from;
    const { acceptsEvents, isWatched, addBatch } = this.#options;
    if (!acceptsEvents) return stands;
    for (const { after, id, batch } of told) {
      if (id !== null && !isBefore(stands, id)) continue;
      if (batch === null || id === null || after !== stands) break;
      if (batch.omitted !== 0 && isWatched()) break;
      addBatch(batch);
      stands = id;
    }
    return stands;
  }
}

/** Ids are two numbers, the greater one first. */
function isBefore(one: string, other: string): boolean {
  const [a = 0, b = 0] = one.split('-').map(Number);
  const [c = 0, d = 0] = other.split('-').map(Number);
  return a < c || (a === c && b < d);
}
