import { apiUrl } from './base.ts';

/** Something that changed, as `GET /api/events` tells it. */
export interface ServerEvent {
  readonly topic: string;
  /** The event's data as JSON, or null when it had none. */
  readonly data: unknown;
}

export type Connection = 'connecting' | 'live' | 'reconnecting' | 'off';

type Listener = (event: ServerEvent) => void;

const CHANNEL = 'floe.events';
const LOCK = 'floe.events';
/** Away for longer: readers ask by themselves until it is back. */
const AWAY_MS = 5_000;

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
  #leading = false;
  #asked = false;
  connection: Connection = 'connecting';

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
    this.#channel.onmessage = ({ data }) => this.#hear(data);
    // Held until this tab closes; without locks (plain http on another host) each tab reads for itself.
    const lead = () => {
      this.#leading = true;
      this.#open();
      return new Promise<never>(() => undefined);
    };
    if ('locks' in navigator) void navigator.locks.request(LOCK, lead);
    else void lead();
  }

  #hear(message: unknown): void {
    if (typeof message !== 'object' || message === null) return;
    if ('want' in message && typeof message.want === 'string' && this.#leading) this.#want(message.want);
    if ('topic' in message && typeof message.topic === 'string' && 'data' in message)
      this.#tell({ topic: message.topic, data: message.data });
    if ('connection' in message && isConnection(message.connection)) this.#turn(message.connection);
  }

  #want(topic: string): void {
    if (!this.#leading) this.#channel.postMessage({ want: topic });
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
    let away: ReturnType<typeof setTimeout> | undefined;
    source.onopen = () => {
      clearTimeout(away);
      this.#share('live');
      // Nothing was heard between the reading of what is shown and now, or since another topic was asked for.
      this.#pass({ topic: 'resync', data: null });
    };
    source.onerror = () => {
      clearTimeout(away);
      if (source.readyState === EventSource.CLOSED) this.#share('off');
      else away = setTimeout(() => this.#share('reconnecting'), AWAY_MS);
    };
    for (const topic of [...topics, 'resync'])
      source.addEventListener(topic, ({ data }) => this.#pass({ topic, data: read(data) }));
  }

  #pass(event: ServerEvent): void {
    this.#channel.postMessage({ ...event });
    this.#tell(event);
  }

  #tell(event: ServerEvent): void {
    for (const [listener, topic] of [...this.#listeners])
      if (event.topic === topic || event.topic === 'resync') listener(event);
  }

  #share(connection: Connection): void {
    this.#channel.postMessage({ connection });
    this.#turn(connection);
  }

  #turn(connection: Connection): void {
    if (this.connection === connection) return;
    this.connection = connection;
    for (const watcher of [...this.#watchers]) watcher();
  }
}

function isConnection(value: unknown): value is Connection {
  return value === 'connecting' || value === 'live' || value === 'reconnecting' || value === 'off';
}

function read(text: unknown): unknown {
  try {
    return typeof text === 'string' && text !== '' ? JSON.parse(text) : null;
  } catch {
    return null;
  }
}
