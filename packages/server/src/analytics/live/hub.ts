import { Fault } from '@floe/contract/faults';
import type { JsonObject } from '@floe/contract/json';
import type { Clock, Timer } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import {
  expireLiveEvents,
  isLater,
  isReplayable,
  type LivePosition,
  liveEventsAfter,
  liveHead,
  positionText,
  type StoredEvent,
} from '../../store/live-events.ts';
import type { Database, ExchangeRow } from '../../store/ports.ts';
import { messages, NOTHING, RESYNC } from './messages.ts';
import { type Subscription, Watcher } from './watcher.ts';

/** Between two looks at what was committed: what watchers wait at most, that commit and the reading aside. */
const POLL_MS = 500;
const CHECK_MS = 1_000;
const HEARTBEAT_MS = 15_000;
const EXPIRE_MS = 60_000;
/** A reader that leaves text waiting for so long is cut off; it may come back and go on from there. */
const STALLED_MS = 30_000;
const EVENTS_PER_LOOK = 100;
/** Looks at once before others get their turn; what is left comes with the next. */
const LOOKS_PER_ROUND = 20;
const MOST_WATCHERS = 1_000;
const MOST_PER_ORG = 250;

export interface LiveHubOptions {
  readonly database: Pick<Database, 'read' | 'rowTransaction'>;
  readonly clock: Clock;
  readonly log: Log;
}

export interface WatchOptions extends Subscription {
  /** A row as watchers see it. */
  show(row: ExchangeRow): JsonObject;
}

/**
 * Tells watchers what any process has committed. The database holds the ring of what can be told again, so a
 * watcher may come back to another process; nothing is read while nobody watches (decisions/0061-live-events.md).
 */
export class LiveHub {
  readonly #options: LiveHubOptions;
  readonly #byOrg = new Map<string, Set<Watcher>>();
  #position: LivePosition | null = null;
  #show: WatchOptions['show'] = () => ({});
  #count = 0;
  #round: Promise<void> | null = null;
  #timer: Timer | null = null;
  #expiry: Timer | null = null;
  #checkedAt = 0;
  #beatenAt = 0;
  #isClosed = false;

  constructor(options: LiveHubOptions) {
    this.#options = options;
    this.#expireLater();
  }

  get watchers(): number {
    return this.#count;
  }

  /** @throws Fault `rate_limit_exceeded` when too many watch, `shutting_down` once it is closed */
  watch(options: WatchOptions): Watcher {
    if (this.#isClosed) throw new Fault('shutting_down', 'This process is ending; ask again.');
    const ofOrg = this.#byOrg.get(options.orgId) ?? new Set();
    if (this.#count >= MOST_WATCHERS || ofOrg.size >= MOST_PER_ORG)
      throw new Fault(
        'rate_limit_exceeded',
        `So many connections watch already (${MOST_PER_ORG} for an organization, ${MOST_WATCHERS} here); close one.`,
        { retryAfterMs: 5_000 },
      );
    this.#show = options.show;
    const watcher = new Watcher(options, (ended) => this.#remove(ended));
    this.#byOrg.set(options.orgId, ofOrg.add(watcher));
    this.#count += 1;
    watcher.tell('retry: 2000\n\n', this.#options.clock.monotonic());
    this.#soon(0);
    return watcher;
  }

  /** Resolves when no look at the database is under way. */
  async settled(): Promise<void> {
    await this.#round;
  }

  /** Ends every watcher; they come back to another process, or to this one's successor. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#expiry?.cancel();
    for (const watcher of this.#all()) watcher.end();
    await this.#round;
  }

  #all(): Watcher[] {
    return [...this.#byOrg.values()].flatMap((watchers) => [...watchers]);
  }

  #remove(watcher: Watcher): void {
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
        .catch((error: unknown) => this.#options.log.warn({ err: error }, 'live events could not be read'))
        .finally(() => {
          this.#round = null;
          if (this.#count > 0) this.#soon(POLL_MS);
          else this.#position = null;
        });
    });
  }

  async #look(): Promise<void> {
    const { read } = this.#options.database;
    await this.#check();
    if (this.#count === 0) return;
    this.#position ??= await liveHead(read);
    await this.#catchUp(this.#position);
    for (let looks = 0; looks < LOOKS_PER_ROUND && this.#count > 0; looks++) {
      const after = this.#position;
      const orgIds = [...this.#byOrg.keys()];
      const events = await liveEventsAfter(read, { orgIds, after, limit: EVENTS_PER_LOOK });
      const last = events.at(-1);
      if (!last) break;
      for (const [orgId, ofOrg] of Map.groupBy(events, (event) => event.orgId)) {
        const abreast = [...(this.#byOrg.get(orgId) ?? [])].filter((watcher) => watcher.isAbreast);
        await this.#tell(abreast, ofOrg, last.position);
      }
      this.#position = last.position;
      if (events.length < EVENTS_PER_LOOK) break;
    }
    this.#heartbeat(this.#position);
  }

  /** Once a second: those who lost their rights end, and those who do not read are cut off. */
  async #check(): Promise<void> {
    const now = this.#options.clock.monotonic();
    if (now - this.#checkedAt < CHECK_MS) return;
    this.#checkedAt = now;
    for (const watcher of this.#all()) {
      const { waitingSince } = watcher;
      if (waitingSince !== null && now - waitingSince >= STALLED_MS) watcher.cutOff();
      else if (!(await watcher.subscription.isAllowed())) watcher.end();
    }
  }

  /** Those who came or fell behind are told what they missed, as soon as they have read most of what waits. */
  async #catchUp(upTo: LivePosition): Promise<void> {
    const { read } = this.#options.database;
    for (const watcher of this.#all()) {
      if (watcher.isAbreast || !watcher.hasRoom) continue;
      const { orgId } = watcher.subscription;
      const after = watcher.position;
      if (after === null || !(await isReplayable(read, orgId, after)) || isLater(after, upTo)) {
        this.#begin(watcher, upTo, after === null);
        continue;
      }
      const events = await liveEventsAfter(read, {
        orgIds: [orgId],
        after,
        upTo,
        limit: EVENTS_PER_LOOK,
      });
      const isWhole = events.length < EVENTS_PER_LOOK;
      watcher.isAbreast = isWhole;
      await this.#tell([watcher], events, isWhole ? upTo : (events.at(-1)?.position ?? upTo));
    }
  }

  /** From now on; `resync` says that what came before was missed. */
  #begin(watcher: Watcher, position: LivePosition, isNew: boolean): void {
    watcher.isAbreast = true;
    const id = `id: ${positionText(position)}\n`;
    watcher.position = position;
    watcher.tell(isNew ? `${id}\n` : `${id}${RESYNC}`, this.#options.clock.monotonic());
  }

  async #tell(
    watchers: readonly Watcher[],
    events: readonly StoredEvent[],
    upTo: LivePosition,
  ): Promise<void> {
    const { clock, database } = this.#options;
    const [first] = watchers;
    if (!first) return;
    const textFor = messages(database.read, first.subscription.orgId, events, this.#show);
    for (const watcher of watchers) {
      const text = await textFor(watcher);
      // In the last event: whoever breaks off in between is told the rest again rather than not at all.
      const whole = text === NOTHING ? NOTHING : `${text.slice(0, -1)}id: ${positionText(upTo)}\n\n`;
      if (whole === NOTHING || watcher.tell(whole, clock.monotonic())) watcher.position = upTo;
      else watcher.isAbreast = false;
    }
  }

  /**
   * Keeps proxies from closing, and is an event so that browsers see it: without one for long, the connection is dead
   * however open it looks. The position lets one who heard nothing go on from here.
   */
  #heartbeat(position: LivePosition): void {
    const now = this.#options.clock.monotonic();
    if (now - this.#beatenAt < HEARTBEAT_MS) return;
    this.#beatenAt = now;
    for (const watcher of this.#all())
      if (watcher.isAbreast && watcher.isIdle)
        watcher.tell(`event: beat\ndata: {}\nid: ${positionText(position)}\n\n`, now);
  }

  #expireLater(): void {
    this.#expiry = this.#options.clock.after(EXPIRE_MS, () => {
      this.#options.database
        .rowTransaction((writer) => expireLiveEvents(writer, this.#options.clock.now()))
        .catch((error: unknown) =>
          this.#options.log.debug({ err: error }, 'old live events stay for another minute'),
        )
        .finally(() => {
          if (!this.#isClosed) this.#expireLater();
        });
    });
  }
}
