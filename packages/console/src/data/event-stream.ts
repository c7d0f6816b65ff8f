import { buildApiUrl } from './base-url.ts';

/** An event from `GET /api/events`. It reports that something has changed on the server. */
export interface ServerEvent {
  readonly topic: string;
  /** The parsed JSON data of the event, or null if the event has none. */
  readonly data: unknown;
  /** ID of the preceding event. The event covers changes after this ID up to its own. Null if unknown. */
  readonly after: string | null;
  readonly id: string | null;
}

const SOMETHING_MISSED: ServerEvent = { topic: 'resync', data: null, after: null, id: null };

/**
 * The state of the event stream. `idle`: nothing in this browser subscribes to events. `reconnecting`: the
 * connection was lost more than five seconds ago. `off`: the server rejected the first connection. In both
 * cases, subscribers poll until the connection is back.
 */
export type EventStreamState = 'idle' | 'connecting' | 'live' | 'reconnecting' | 'off';

type Listener = (event: ServerEvent) => void;

const CHANNEL = 'floe.events';
const LOCK = 'floe.events';
/** After this many milliseconds without a connection, subscribers poll until it is back. */
const AWAY_MS = 5_000;
/**
 * The server sends data every 15 seconds. A stream that is silent for longer than this many milliseconds is
 * considered dead.
 */
const SILENT_MS = 40_000;
/**
 * Delay in milliseconds before retrying a rejected stream, for example while the server starts behind a proxy. Doubles
 * with each attempt, because a stream can be rejected for as long as the user is signed out.
 */
const REFUSED_MS = 3_000;
const MAX_REFUSED_MS = 60_000;

/**
 * The connection over which the server sends events. All tabs of a browser share it, because browsers allow
 * only six connections per origin with HTTP/1.1. The tab that holds a lock reads the stream and sends the
 * events to the other tabs over a broadcast channel.
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
  #refusedMs = REFUSED_MS;
  #leading = false;
  #asked = false;
  #position: string | null = null;
  connection: EventStreamState = 'idle';
  /**
   * Time of the last data before the connection was lost, in milliseconds since the epoch. Null while
   * connected.
   */
  lostAt: number | null = null;

  /**
   * Calls `listener` for each event of a topic, and with the topic `resync` if events may have been missed.
   * Returns a function that unsubscribes.
   */
  listen(topic: string, listener: Listener): () => void {
    this.#listeners.set(listener, topic);
    this.#begin();
    this.#want(topic);
    return () => this.#listeners.delete(listener);
  }

  /** Calls `watcher` when `connection` changes. Returns a function that unsubscribes. */
  watch(watcher: () => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  #begin(): void {
    if (this.#asked) return;
    this.#asked = true;
    this.#turn('connecting', null);
    this.#channel.onmessage = ({ data }) => this.#hear(data);
    // The lock is held until this tab closes. Without locks (plain HTTP on a host other than localhost), each
    // tab reads its own stream.
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

  /**
   * Records the topics of other tabs. All tabs do this because any of them may become the reader, which also
   * shares its connection state.
   */
  #wantedElsewhere(topic: string): void {
    this.#add(topic);
    if (this.#leading) this.#channel.postMessage({ connection: this.connection, lostAt: this.lostAt });
  }

  #add(topic: string): void {
    const known = this.#wanted.has(topic);
    this.#wanted.add(topic);
    // A rejected stream is tried again at once, because the user may have signed in meanwhile.
    const isRefused = this.#source?.readyState === EventSource.CLOSED;
    if ((known && !isRefused) || !this.#leading) return;
    clearTimeout(this.#reopening);
    this.#reopening = setTimeout(() => this.#open(), 20);
  }

  #open(): void {
    this.#source?.close();
    if (this.#wanted.size === 0) return;
    const url = buildApiUrl('api/events');
    const topics = [...this.#wanted].sort();
    url.searchParams.set('topics', topics.join(','));
    const source = new EventSource(url);
    this.#source = source;
    this.#position = null;
    this.#heardAt = Date.now();
    source.onopen = () => {
      this.#heardAt = Date.now();
      this.#refusedMs = REFUSED_MS;
      clearTimeout(this.#away);
      this.#away = undefined;
      this.#share('live');
      // Events may have been missed since the displayed data was read, or since a topic was added.
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

  /**
   * Reopens the stream after a long silence, for example after the computer slept or the connection was cut.
   */
  #doubt(): void {
    // A rejected stream is opened again by its own timer.
    if (this.#source === null || this.#source.readyState === EventSource.CLOSED) return;
    if (Date.now() - this.#heardAt < SILENT_MS) return;
    const lostAt = this.lostAt ?? this.#heardAt;
    this.lostAt = lostAt;
    this.#away ??= setTimeout(() => this.#share('reconnecting', lostAt), AWAY_MS);
    this.#open();
  }

  /**
   * Handles a lost connection. The browser reconnects and receives the missed events, unless the stream was
   * rejected.
   */
  #lose(source: EventSource): void {
    if (source !== this.#source) return;
    const lostAt = this.lostAt ?? this.#heardAt;
    this.lostAt = lostAt;
    const isRefused = source.readyState === EventSource.CLOSED;
    if (isRefused) {
      clearTimeout(this.#reopening);
      this.#reopening = setTimeout(() => this.#open(), this.#refusedMs);
      this.#refusedMs = Math.min(2 * this.#refusedMs, MAX_REFUSED_MS);
    }
    if (isRefused && this.connection !== 'live' && this.connection !== 'reconnecting')
      this.#share('off', lostAt);
    // The timer is set only once, because each failed retry loses the connection again.
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
