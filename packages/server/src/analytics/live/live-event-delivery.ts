import { Fault } from '@floe/contract/faults';
import type { JsonObject } from '@floe/contract/json';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import { runForOrg, runForServer } from '../../core/org-context.ts';
import { formatLiveEventId } from '../../store/live-event-ids.ts';
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
import { createLiveEventFormatter, NO_EVENT_TEXT, RESYNC_EVENT } from './live-event-formatter.ts';
import type { LiveWatcher } from './live-watcher.ts';

export const EVENTS_PER_READ = 100;
/** Maximum number of consecutive reads in one poll. The next poll reads the remaining events. */
export const READS_PER_POLL = 20;

interface LiveEventDeliveryOptions {
  readonly database: Pick<Database, 'read'>;
  readonly clock: Clock;
  readonly log: Log;
  watchersOf(orgId: string): Iterable<LiveWatcher>;
  /** Converts a row to the JSON that watchers receive. */
  show(row: ExchangeRow): JsonObject;
}

/** New events of one organization. `upTo` is the position up to which there are no others. */
interface NewEvents {
  readonly events: readonly StoredLiveEvent[];
  readonly upTo: LiveEventPosition;
}

/**
 * Sends events to the watchers of each organization, as work of this organization. The work of one organization does
 * not wait for that of another.
 */
export class LiveEventDelivery {
  readonly #options: LiveEventDeliveryOptions;
  readonly #working = new Map<string, Promise<void>>();
  /** The position up to which the hub has read new events. Null while it reads none. */
  position: LiveEventPosition | null = null;

  constructor(options: LiveEventDeliveryOptions) {
    this.#options = options;
  }

  /** Resolves when no work is in progress. */
  async whenIdle(): Promise<void> {
    await Promise.all(this.#working.values());
  }

  #formatEventId(orgId: string, position: LiveEventPosition): string {
    return formatLiveEventId(this.#options.database.read, orgId, position);
  }

  /**
   * Starts work for the watchers of an organization that have capacity: sends new events to those that have received
   * all earlier ones, and missed events to the others. If work is in progress, that work also sends the new events.
   */
  start(orgId: string, newEvents?: NewEvents): void {
    if (!this.#working.has(orgId)) {
      const work = this.#tellOrg(orgId, newEvents).finally(() => this.#working.delete(orgId));
      this.#working.set(orgId, work);
    } else if (newEvents) for (const watcher of this.#options.watchersOf(orgId)) watcher.isCaughtUp = false;
  }

  async #tellOrg(orgId: string, newEvents: NewEvents | undefined): Promise<void> {
    if (newEvents) await this.#tellCaughtUp(orgId, newEvents);
    for (let reads = 0; reads < READS_PER_POLL; reads++) {
      let hasProgress = false;
      for (const watcher of this.#options.watchersOf(orgId))
        if (!watcher.isCaughtUp && watcher.hasCapacity) {
          const before = watcher.position;
          await this.#attempt([watcher], () => this.#catchUp(watcher));
          hasProgress ||= watcher.isCaughtUp || watcher.position !== before;
        }
      if (!hasProgress) return;
    }
  }

  async #tellCaughtUp(orgId: string, { events, upTo }: NewEvents): Promise<void> {
    const { read } = this.#options.database;
    const abreast = [...this.#options.watchersOf(orgId)].filter((watcher) => watcher.isCaughtUp);
    await this.#attempt(abreast, async () => {
      const earliest = abreast
        .flatMap(({ position }) => position ?? [])
        .reduce((one, other) => (isLiveEventPositionAfter(one, other) ? other : one), upTo);
      if (await runForServer(() => hasAllLiveEventsAfter(read, orgId, earliest)))
        return this.#tell(abreast, events, upTo);
      // Events were deleted before this process read them. `#catchUp` notifies the watchers that missed them.
      for (const watcher of abreast) watcher.isCaughtUp = false;
    });
  }

  /**
   * Runs `work` for watchers of one organization, as work of this organization. Returns whether it succeeded. If the
   * organization has too much work or the database is unavailable, the watchers catch up later. If the work fails
   * otherwise, the watchers end, and their clients reconnect at their positions: a query that the database rejects must
   * not stop the events of others.
   */
  async #attempt(watchers: readonly LiveWatcher[], work: () => Promise<void>): Promise<boolean> {
    const [first] = watchers;
    if (!first) return true;
    const { orgId } = first.subscription;
    try {
      await runForOrg(orgId, work);
      return true;
    } catch (error) {
      const isTemporary = error instanceof Fault && error.code === 'overloaded';
      if (!isTemporary)
        this.#options.log.warn(
          { err: error, org: orgId },
          'live events could not be sent; ending event streams',
        );
      for (const watcher of watchers)
        if (isTemporary) watcher.isCaughtUp = false;
        else watcher.end();
      return false;
    }
  }

  /** Sends missed events to a new or slow watcher that has read most of its pending text. */
  async #catchUp(watcher: LiveWatcher): Promise<void> {
    const { read } = this.#options.database;
    const { orgId } = watcher.subscription;
    const after = watcher.position;
    const upTo = this.position;
    // A round gives a new watcher its position.
    if (after === null || upTo === null) return;
    if (watcher.eventId === '') return this.#begin(watcher, after);
    const isAhead = isLiveEventPositionAfter(after, upTo);
    if (
      (isAhead && isLiveEventPositionAfter(after, await getLatestLiveEventPosition(read))) ||
      !(await hasAllLiveEventsAfter(read, orgId, after))
    )
      return this.#begin(watcher, upTo);
    // Another process has sent events that this one reads in a later round.
    if (isAhead) return;
    const query = { orgIds: [orgId], after, upTo, limit: EVENTS_PER_READ };
    const events = await listLiveEventsAfter(read, query);
    const isWhole = events.length < EVENTS_PER_READ;
    const end = isWhole ? upTo : (events.at(-1)?.position ?? upTo);
    await this.#tell([watcher], events, end);
    watcher.isCaughtUp = watcher.position === end && this.#hasSentUpTo(end);
  }

  /** Whether no round has read events after a position. */
  #hasSentUpTo(position: LiveEventPosition): boolean {
    return this.position !== null && !isLiveEventPositionAfter(this.position, position);
  }

  /**
   * Starts a watcher at a position. Sends `resync` if the client missed events that are no longer stored.
   */
  async #begin(watcher: LiveWatcher, position: LiveEventPosition): Promise<void> {
    const { orgId } = watcher.subscription;
    const isNew = watcher.eventId === '';
    const latest = await getLatestOrgEventPosition(this.#options.database.read, orgId, position);
    watcher.eventId = this.#formatEventId(orgId, latest);
    const id = `id: ${watcher.eventId}\n`;
    // The latest event may be deleted. The position can then be earlier.
    watcher.position = isLiveEventPositionAfter(latest, position) ? latest : position;
    watcher.isCaughtUp = this.#hasSentUpTo(watcher.position);
    watcher.enqueue(isNew ? `${id}\n` : `${id}${RESYNC_EVENT}`, this.#options.clock.monotonic());
  }

  async #tell(
    watchers: readonly LiveWatcher[],
    events: readonly StoredLiveEvent[],
    upTo: LiveEventPosition,
  ): Promise<void> {
    const { clock, database, show } = this.#options;
    const [first] = watchers;
    if (!first) return;
    const last = events.at(-1);
    const id = last && this.#formatEventId(first.subscription.orgId, last.position);
    const textFor = createLiveEventFormatter(database.read, first.subscription.orgId, events, show);
    for (const watcher of watchers) {
      let text = NO_EVENT_TEXT;
      const isRead = await this.#attempt([watcher], async () => {
        text = await textFor(watcher);
      });
      if (!isRead) continue;
      // The id goes into the last event. If the connection breaks earlier, the client receives all
      // events again and misses none.
      const whole = text === NO_EVENT_TEXT ? NO_EVENT_TEXT : `${text.slice(0, -1)}id: ${id}\n\n`;
      if (whole === NO_EVENT_TEXT || watcher.enqueue(whole, clock.monotonic())) {
        watcher.position = upTo;
        watcher.eventId = id ?? watcher.eventId;
      } else watcher.isCaughtUp = false;
    }
  }
}
