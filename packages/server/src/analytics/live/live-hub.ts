import { Fault } from '@floe/contract/faults';
import type { JsonObject } from '@floe/contract/json';
import type { Clock, Timer } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import { runForOrg } from '../../core/org-context.ts';
import { formatLiveEventId, parseLiveEventId } from '../../store/live-event-ids.ts';
import {
  getLatestLiveEventPosition,
  getLatestOrgEventPosition,
  hasAllLiveEventsAfter,
  isLiveEventPositionAfter,
  type LiveEventPosition,
  listLiveEventsAfter,
  type StoredLiveEvent,
} from '../../store/live-events.ts';
import type { Database, ExchangeRow } from '../../store/store-interfaces.ts';
import { type LiveEventExpiry, startLiveEventExpiry } from './live-event-expiry.ts';
import { createLiveEventFormatter, NO_EVENT_TEXT, RESYNC_EVENT } from './live-event-formatter.ts';
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
const EVENTS_PER_READ = 100;
/** Maximum number of consecutive reads in one poll. The next poll reads the remaining events. */
const READS_PER_POLL = 20;
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
  #position: LiveEventPosition | null = null;
  #show: LiveWatchOptions['show'] = () => ({});
  #count = 0;
  #round: Promise<void> | null = null;
  #timer: Timer | null = null;
  readonly #expiry: LiveEventExpiry;
  #checkedAt = 0;
  #beatenAt = 0;
  #isClosed = false;

  constructor(options: LiveHubOptions) {
    this.#options = options;
    this.#expiry = startLiveEventExpiry(options);
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
    if (options.after !== null) watcher.eventId = this.#formatEventId(options.orgId, options.after);
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

  #formatEventId(orgId: string, position: LiveEventPosition): string {
    return formatLiveEventId(this.#options.database.read, orgId, position);
  }

  /** Resolves when no read is in progress. */
  async whenIdle(): Promise<void> {
    await this.#round;
  }

  /** Ends all watchers. Their clients reconnect to another process or to this one after its restart. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#expiry.close();
    for (const watcher of this.#all()) watcher.end();
    await this.#round;
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
          else this.#position = null;
        });
    });
  }

  async #look(): Promise<void> {
    const { read } = this.#options.database;
    await this.#check();
    if (this.#count === 0) return;
    const latest = await getLatestLiveEventPosition(read);
    this.#position ??= latest;
    for (const watcher of this.#all())
      if (!watcher.isCaughtUp && watcher.hasCapacity) await this.#catchUp(watcher, this.#position, latest);
    for (let looks = 0; looks < READS_PER_POLL && this.#count > 0; looks++) {
      const orgIds = [...this.#byOrg.keys()];
      const query = { orgIds, after: this.#position, upTo: latest, limit: EVENTS_PER_READ };
      const events = await listLiveEventsAfter(read, query);
      const isWhole = events.length < EVENTS_PER_READ;
      // Events of other organizations do not count: their next watcher starts here.
      const upTo = isWhole ? latest : (events.at(-1)?.position ?? latest);
      for (const [orgId, ofOrg] of Map.groupBy(events, (event) => event.orgId))
        await this.#tellOrg(orgId, ofOrg, upTo);
      this.#position = upTo;
      if (isWhole) break;
    }
    this.#heartbeat();
  }

  /** Sends new events of an organization to those of its watchers that have received all earlier ones. */
  async #tellOrg(orgId: string, events: readonly StoredLiveEvent[], upTo: LiveEventPosition): Promise<void> {
    const abreast = [...(this.#byOrg.get(orgId) ?? [])].filter((watcher) => watcher.isCaughtUp);
    await this.#endIfRejected(abreast, async () => {
      const earliest = abreast
        .flatMap(({ position }) => position ?? [])
        .reduce((one, other) => (isLiveEventPositionAfter(one, other) ? other : one), upTo);
      if (await hasAllLiveEventsAfter(this.#options.database.read, orgId, earliest))
        return this.#tell(abreast, events, upTo);
      // Events were deleted before this process read them. `#catchUp` notifies the watchers that missed them.
      for (const watcher of abreast) watcher.isCaughtUp = false;
    });
  }

  /**
   * Runs `work` for watchers of one organization, as work of this organization. If it rejects, the watchers end, and their
   * clients reconnect at their positions: a query that the database rejects must not stop the events of others.
   */
  async #endIfRejected(watchers: readonly LiveWatcher[], work: () => Promise<void>): Promise<void> {
    const [first] = watchers;
    if (!first) return;
    const { orgId } = first.subscription;
    try {
      await runForOrg(orgId, work);
    } catch (error) {
      this.#options.log.warn(
        { err: error, org: orgId },
        'live events could not be sent; ending event streams',
      );
      for (const watcher of watchers) watcher.end();
    }
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

  /** Sends missed events to a new or slow watcher that has read most of its pending text. */
  async #catchUp(watcher: LiveWatcher, upTo: LiveEventPosition, latest: LiveEventPosition): Promise<void> {
    const { read } = this.#options.database;
    const { orgId } = watcher.subscription;
    const after = watcher.position;
    await this.#endIfRejected([watcher], async () => {
      if (
        after === null ||
        isLiveEventPositionAfter(after, latest) ||
        !(await hasAllLiveEventsAfter(read, orgId, after))
      )
        return this.#begin(watcher, upTo, after === null);
      // Another process has sent events that this one reads in this round.
      if (isLiveEventPositionAfter(after, upTo)) return;
      const events = await listLiveEventsAfter(read, {
        orgIds: [orgId],
        after,
        upTo,
        limit: EVENTS_PER_READ,
      });
      const isWhole = events.length < EVENTS_PER_READ;
      watcher.isCaughtUp = isWhole;
      await this.#tell([watcher], events, isWhole ? upTo : (events.at(-1)?.position ?? upTo));
    });
  }

  /**
   * Starts a watcher at the current position. Sends `resync` if the client missed events that are no longer
   * stored.
   */
  async #begin(watcher: LiveWatcher, position: LiveEventPosition, isNew: boolean): Promise<void> {
    const { orgId } = watcher.subscription;
    const latest = await getLatestOrgEventPosition(this.#options.database.read, orgId, position);
    watcher.isCaughtUp = true;
    watcher.eventId = this.#formatEventId(orgId, latest);
    const id = `id: ${watcher.eventId}\n`;
    // The latest event may be deleted. The position can then be earlier.
    watcher.position = isLiveEventPositionAfter(latest, position) ? latest : position;
    watcher.enqueue(isNew ? `${id}\n` : `${id}${RESYNC_EVENT}`, this.#options.clock.monotonic());
  }

  async #tell(
    watchers: readonly LiveWatcher[],
    events: readonly StoredLiveEvent[],
    upTo: LiveEventPosition,
  ): Promise<void> {
    const { clock, database } = this.#options;
    const [first] = watchers;
    if (!first) return;
    const last = events.at(-1);
    const id = last && this.#formatEventId(first.subscription.orgId, last.position);
    const textFor = createLiveEventFormatter(database.read, first.subscription.orgId, events, this.#show);
    for (const watcher of watchers) {
      let text = NO_EVENT_TEXT;
      await this.#endIfRejected([watcher], async () => {
        text = await textFor(watcher);
      });
      // The id goes into the last event. If the connection breaks earlier, the client receives all
      // events again and misses none.
      const whole = text === NO_EVENT_TEXT ? NO_EVENT_TEXT : `${text.slice(0, -1)}id: ${id}\n\n`;
      if (whole === NO_EVENT_TEXT || watcher.enqueue(whole, clock.monotonic())) {
        watcher.position = upTo;
        watcher.eventId = id ?? watcher.eventId;
      } else watcher.isCaughtUp = false;
    }
  }

  #heartbeat(): void {
    const now = this.#options.clock.monotonic();
    if (now - this.#beatenAt < HEARTBEAT_INTERVAL_MS) return;
    this.#beatenAt = now;
    for (const watcher of this.#all()) watcher.sendHeartbeat(now);
  }
}
