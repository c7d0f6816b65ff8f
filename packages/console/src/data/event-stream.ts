import { apiUrl } from './base-url.ts';

/** Something that changed, as `GET /api/events` tells it. */
export interface ServerEvent {
  readonly topic: string;
  /** The event's data as JSON, or null when it had none. */
  readonly data: unknown;
  /** The ids of the stream that the event lies between: after the first, up to the second. Null where nobody knows. */
  readonly after: string | null;
  readonly id: string | null;
}

const SOMETHING_MISSED: ServerEvent = { topic: 'resync', data: null, after: null, id: null };

/** `idle`: nobody here wants to hear of anything. */
export type EventStreamState = 'idle' | 'connecting' | 'live' | 'reconnecting' | 'off';

type Listener = (event: ServerEvent) => void;

const CHANNEL = 'floe.events';
const LOCK = 'floe.events';
/** Away for longer: readers ask by themselves until it is back. */
const AWAY_MS = 5_000;
/** The server says something every 15 seconds: one that is silent for longer is dead, however open it looks. */
const SILENT_MS = 40_000;
/** A stream that was refused, as a proxy does while the server starts, is asked for again. */
const REFUSED_MS = 3_000;

/**
 * One event stream per browser: browsers allow six connections per origin on HTTP/1.1, and a stream in every tab would
 * use them up. The tab that holds the lock reads and tells the others over a channel.
 */
export class EventStream {
  readonly #listeners = new Map<Listener, string>();
  readonly #watchers = new Set<() => void>();
  readonly #channel = new BroadcastChannel(CHANNEL);
  #wanted = new Set<string>();
  #source: EventSource | null = null;
  #reopening: ReturnType<typeof setTimeout> | undefined;
  #away: ReturnType<typeof setTimeout> | undefined;
  #heardAt = 0;
  #leading = false;
  #asked = false;
  #position: string | null = null;
  connection: EventStreamState = 'idle';
  /** When it was last heard of, while it is away. Milliseconds. */
  lostAt: number | null = null;

  /** Calls `listener` for events of a topic, and with topic `resync` when some may have been missed. */
  listen(topic: string, listener: Listener): () => void {
    this.#listeners.set(listener, topic);
    this.#begin();
    this.#want(topic);
    return () => this.#listeners.delete(listener);
  }

  /** Calls `watcher` whenever `connection` changes. */
  watch(watcher: () => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  #begin(): void {
    if (this.#asked) return;
    this.#asked = true;
    this.#turn('connecting', null);
    this.#channel.onmessage = ({ data }) => this.#hear(data);
    // Held until this tab closes; without locks (plain http on another host) each tab reads for itself.
    const lead = () => {
      this.#leading = true;
      this.#open();
      setInterval(() => this.#doubt(), SILENT_MS / 4);
      return new Promise<never>(() => undefined);
    };
    if ('locks' in navigator) void navigator.locks.request(LOCK, lead);
    else void lead();
  }

  #hear(message: unknown): void {
    if (typeof message !== 'object' || message === null) return;
    if ('want' in message && typeof message.want === 'string') this.#wantedElsewhere(message.want);
    if (isEvent(message)) this.#tell(message);
    if ('connection' in message && isConnection(message.connection))
      this.#turn(message.connection, 'lostAt' in message ? Number(message.lostAt) || null : null);
  }

  #want(topic: string): void {
    if (!this.#leading) this.#channel.postMessage({ want: topic });
    this.#add(topic);
  }

  /** Kept by every tab, for any of them may have to read one day; the one that reads says how it stands. */
  #wantedElsewhere(topic: string): void {
    this.#add(topic);
    if (this.#leading) this.#channel.postMessage({ connection: this.connection, lostAt: this.lostAt });
  }

  #add(topic: string): void {
    const known = this.#wanted.has(topic);
    this.#wanted.add(topic);
    if (known || !this.#leading) return;
    clearTimeout(this.#reopening);
    this.#reopening = setTimeout(() => this.#open(), 20);
  }

  #open(): void {
    this.#source?.close();
    if (this.#wanted.size === 0) return;
    const url = apiUrl('api/events');
    const topics = [...this.#wanted].sort();
    url.searchParams.set('topics', topics.join(','));
    const source = new EventSource(url);
    this.#source = source;
    this.#position = null;
    this.#heardAt = Date.now();
    source.onopen = () => {
      this.#heardAt = Date.now();
      clearTimeout(this.#away);
      this.#away = undefined;
      this.#share('live');
      // Nothing was heard between the reading of what is shown and now, or since another topic was asked for.
      this.#pass(SOMETHING_MISSED);
    };
    source.onerror = () => this.#lose(source);
    source.addEventListener('beat', ({ lastEventId }) => {
      this.#heardAt = Date.now();
      this.#position = lastEventId === '' ? null : lastEventId;
    });
    for (const topic of [...topics, 'resync'])
      source.addEventListener(topic, ({ data, lastEventId }) => {
        const id = lastEventId === '' ? null : lastEventId;
        this.#heardAt = Date.now();
        this.#pass({ topic, data: read(data), after: this.#position, id });
        this.#position = id;
      });
  }

  /** Opens it anew when it has been silent for too long, as after a sleep or behind a line that was cut. */
  #doubt(): void {
    if (this.#source === null || Date.now() - this.#heardAt < SILENT_MS) return;
    this.#away ??= setTimeout(() => this.#share('reconnecting', this.#heardAt), AWAY_MS);
    this.#open();
  }

  /** It comes back by itself, with what was missed, unless something in between refused it. */
  #lose(source: EventSource): void {
    if (source !== this.#source) return;
    const lostAt = this.lostAt ?? Date.now();
    this.lostAt = lostAt;
    const isRefused = source.readyState === EventSource.CLOSED;
    if (isRefused) {
      clearTimeout(this.#reopening);
      this.#reopening = setTimeout(() => this.#open(), REFUSED_MS);
    }
    if (isRefused && this.connection !== 'live' && this.connection !== 'reconnecting')
      this.#share('off', lostAt);
    // Set once: it is lost again with every try.
    this.#away ??= setTimeout(() => this.#share('reconnecting', lostAt), AWAY_MS);
  }

  #pass(event: ServerEvent): void {
    this.#channel.postMessage({ ...event });
    this.#tell(event);
  }

  #tell(event: ServerEvent): void {
    for (const [listener, topic] of [...this.#listeners])
      if (event.topic === topic || event.topic === 'resync') listener(event);
  }

  #share(connection: EventStreamState, lostAt: number | null = null): void {
    this.#channel.postMessage({ connection, lostAt });
    this.#turn(connection, lostAt);
  }

  #turn(connection: EventStreamState, lostAt: number | null): void {
    this.lostAt = lostAt;
    if (this.connection === connection) return;
    this.connection = connection;
    for (const watcher of [...this.#watchers]) watcher();
  }
}

function isConnection(value: unknown): value is EventStreamState {
  return value === 'connecting' || value === 'live' || value === 'reconnecting' || value === 'off';
}

function isEvent(message: object): message is ServerEvent {
  if (!('topic' in message && 'data' in message && 'after' in message && 'id' in message)) return false;
  const isId = (id: unknown) => id === null || typeof id === 'string';
  return typeof message.topic === 'string' && isId(message.after) && isId(message.id);
}

function read(text: unknown): unknown {
  try {
    return typeof text === 'string' && text !== '' ? JSON.parse(text) : null;
  } catch {
    return null;
  }
}
