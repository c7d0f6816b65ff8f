import { Fault } from '@floe/contract/faults';
import type { JsonObject } from '@floe/contract/json';
import type { Clock, Timer } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import { formatLiveEventId, parseLiveEventId } from '../../store/live-event-ids.ts';
import {
  getLatestLiveEventPosition,
  type LiveEventPosition,
  listLiveEventsAfter,
} from '../../store/live-events.ts';
import type { Database, ExchangeRow } from '../../store/store-interfaces.ts';
import { EVENTS_PER_READ, LiveEventDelivery, READS_PER_POLL } from './live-event-delivery.ts';
import { type LiveEventExpiry, startLiveEventExpiry } from './live-event-expiry.ts';
import { type LiveSubscription, LiveWatcher } from './live-watcher.ts';

/** Interval between reads of committed events. It determines most of the latency for watchers. */
const POLL_INTERVAL_MS = 500;
const CHECK_INTERVAL_MS = 1_000;
const HEARTBEAT_INTERVAL_MS = 15_000;
/**
 * Time after which a connection is closed if its text still waits for the reader. The client can reconnect
 * and continue at its position.
 */
const STALL_TIMEOUT_MS = 30_000;
const MAX_WATCHERS = 1_000;
const MAX_WATCHERS_PER_ORG = 250;

/** The settings and dependencies of a `LiveHub`. */
export interface LiveHubOptions {
  readonly database: Pick<Database, 'read' | 'rowTransaction'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** A subscription, and the function that formats its rows. */
export interface LiveWatchOptions extends LiveSubscription {
  /** Converts a row to the JSON that watchers receive. */
  show(row: ExchangeRow): JsonObject;
}

/**
 * Sends live events to the watchers of this process, including the events that other processes committed. The database
 * keeps recent events, so that a client can continue on another process. The hub reads nothing while it has no
 * watchers (decisions/0061-live-events-in-the-database.md).
 */
export class LiveHub {
  readonly #options: LiveHubOptions;
  readonly #byOrg = new Map<string, Set<LiveWatcher>>();
  #show: LiveWatchOptions['show'] = () => ({});
  #count = 0;
  #round: Promise<void> | null = null;
  #timer: Timer | null = null;
  readonly #expiry: LiveEventExpiry;
  readonly #delivery: LiveEventDelivery;
  #checkedAt = 0;
  #beatenAt = 0;
  #isClosed = false;

  constructor(options: LiveHubOptions) {
    this.#options = options;
    this.#expiry = startLiveEventExpiry(options);
    this.#delivery = new LiveEventDelivery({
      ...options,
      watchersOf: (orgId) => this.#byOrg.get(orgId) ?? [],
      show: (row) => this.#show(row),
    });
  }

  get watcherCount(): number {
    return this.#count;
  }

  /**
   * Adds a watcher.
   * @throws Fault `rate_limit_exceeded` if there are too many watchers; `shutting_down` after `close`
   */
  watch(options: LiveWatchOptions): LiveWatcher {
    if (this.#isClosed) throw new Fault('shutting_down', 'This process is shutting down. Retry the request.');
    const ofOrg = this.#byOrg.get(options.orgId) ?? new Set();
    if (this.#count >= MAX_WATCHERS || ofOrg.size >= MAX_WATCHERS_PER_ORG)
      throw new Fault(
        'rate_limit_exceeded',
        `Too many event streams are open (limits of each process: ${MAX_WATCHERS_PER_ORG} per organization, ${MAX_WATCHERS} in total). Close a stream and retry.`,
        { retryAfterMs: 5_000 },
      );
    this.#show = options.show;
    const watcher = new LiveWatcher(options, (ended) => this.#remove(ended));
    if (options.after !== null)
      watcher.eventId = formatLiveEventId(this.#options.database.read, options.orgId, options.after);
    this.#byOrg.set(options.orgId, ofOrg.add(watcher));
    this.#count += 1;
    watcher.enqueue('retry: 2000\n\n', this.#options.clock.monotonic());
    this.#soon(0);
    return watcher;
  }

  /** Returns the position of an event id, as `parseLiveEventId` does. */
  parseEventId(orgId: string, id: string): LiveEventPosition | null {
    return parseLiveEventId(this.#options.database.read, orgId, id);
  }

  /** Resolves when no read is in progress. */
  async whenIdle(): Promise<void> {
    await this.#round;
    await this.#delivery.whenIdle();
  }

  /** Ends all watchers. Their clients reconnect to another process or to this one after its restart. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#expiry.close();
    for (const watcher of this.#all()) watcher.end();
    await this.whenIdle();
  }

  #all(): LiveWatcher[] {
    return [...this.#byOrg.values()].flatMap((watchers) => [...watchers]);
  }

  #remove(watcher: LiveWatcher): void {
    const { orgId } = watcher.subscription;
    const ofOrg = this.#byOrg.get(orgId);
    if (!ofOrg?.delete(watcher)) return;
    this.#count -= 1;
    if (ofOrg.size === 0) this.#byOrg.delete(orgId);
  }

  #soon(ms: number): void {
    if (this.#isClosed || this.#round || (this.#timer && ms > 0)) return;
    this.#timer?.cancel();
    this.#timer = this.#options.clock.after(ms, () => {
      this.#timer = null;
      this.#round = this.#look()
        .catch((error: unknown) =>
          this.#options.log.warn({ err: error }, 'live events could not be read from the database; retrying'),
        )
        .finally(() => {
          this.#round = null;
          if (this.#count > 0) this.#soon(POLL_INTERVAL_MS);
          else this.#delivery.position = null;
        });
    });
  }

  async #look(): Promise<void> {
    const { read } = this.#options.database;
    await this.#check();
    if (this.#count === 0) return;
    const latest = await getLatestLiveEventPosition(read);
    this.#delivery.position ??= latest;
    for (const watcher of this.#all()) {
      watcher.position ??= this.#delivery.position;
      if (!watcher.isCaughtUp && watcher.hasCapacity) this.#delivery.start(watcher.subscription.orgId);
    }
    for (let looks = 0; looks < READS_PER_POLL && this.#count > 0; looks++) {
      const orgIds = [...this.#byOrg.keys()];
      const query = { orgIds, after: this.#delivery.position, upTo: latest, limit: EVENTS_PER_READ };
      const events = await listLiveEventsAfter(read, query);
      const isWhole = events.length < EVENTS_PER_READ;
      // Events of other organizations do not count: their next watcher starts here.
      const upTo = isWhole ? latest : (events.at(-1)?.position ?? latest);
      this.#delivery.position = upTo;
      for (const [orgId, ofOrg] of Map.groupBy(events, (event) => event.orgId))
        this.#delivery.start(orgId, { events: ofOrg, upTo });
      if (isWhole) break;
    }
    this.#heartbeat();
  }

  /**
   * Once a second, ends watchers that have lost their permission and disconnects watchers that do not read.
   */
  async #check(): Promise<void> {
    const now = this.#options.clock.monotonic();
    if (now - this.#checkedAt < CHECK_INTERVAL_MS) return;
    this.#checkedAt = now;
    for (const watcher of this.#all()) {
      const { pendingSince } = watcher;
      if (pendingSince !== null && now - pendingSince >= STALL_TIMEOUT_MS) watcher.disconnect();
      else if (!(await watcher.subscription.isAllowed())) watcher.end();
    }
  }

  #heartbeat(): void {
    const now = this.#options.clock.monotonic();
    if (now - this.#beatenAt < HEARTBEAT_INTERVAL_MS) return;
    this.#beatenAt = now;
    for (const watcher of this.#all()) watcher.sendHeartbeat(now);
  }
}
