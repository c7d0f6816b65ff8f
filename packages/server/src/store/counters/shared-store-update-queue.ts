import { randomUUID } from 'node:crypto';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { AcquireResult, BucketClaim, ReservationSettlement } from '../store-interfaces.ts';
import { CounterRejection } from './counter-rejection.ts';
import type { SharedStoreCounters } from './redis-counters.ts';
import { UnreportedRequestCounts } from './unreported-request-counts.ts';
import { withTimeout } from './with-timeout.ts';

/** Number of settlements that are kept during an outage: about 20 seconds of a busy process. */
const MAX_PENDING_SETTLEMENTS = 20_000;
/**
 * Maximum number for settlements of budgets, which are more important: without its settlement, a reservation remains for
 * hours. Windows end after a minute, and the renewal of leases corrects the slots.
 */
const MAX_PENDING_WITH_BUDGETS = 100_000;

/** Number of sent settlements that are removed in one step, because each removal moves all others. */
const SENT_PER_REMOVAL = 1_000;

/** How long `close` waits until the store has received the last updates. */
const CLOSE_FLUSH_MS = 1_000;

interface PendingSettlement {
  readonly orgId: string;
  readonly settlement: ReservationSettlement;
}

export interface SharedStoreUpdateQueueOptions {
  readonly remote: Pick<SharedStoreCounters, 'settle' | 'acquire'>;
  readonly clock: Clock;
  readonly log: Log;
  /** How long an update may take. */
  readonly timeoutMs: number;
  /** Called for an update that the store rejected because of the data in a counter. The update is dropped. */
  readonly onRejected: (error: CounterRejection) => void;
}

/**
 * Updates to send to the shared store after it was unavailable: settlements, and requests that this process
 * granted without the store.
 */
export class SharedStoreUpdateQueue {
  readonly #options: SharedStoreUpdateQueueOptions;
  readonly #unreportedGrants = new UnreportedRequestCounts();
  readonly #settlements: PendingSettlement[] = [];
  /** Number of settlements at the start of the list that were sent. They are removed in larger steps. */
  #sent = 0;
  /** Whether a settlement of a budget was dropped since the last complete flush. */
  #hasDropped = false;
  #flushing: Promise<void> | null = null;

  constructor(options: SharedStoreUpdateQueueOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#pending === 0 && this.#unreportedGrants.isEmpty;
  }

  /** Number of settlements that were not sent yet. */
  get #pending(): number {
    return this.#settlements.length - this.#sent;
  }

  enqueueSettlement(orgId: string, settlement: ReservationSettlement): void {
    const pending = this.#pending;
    const hasBudget = settlement.claims.some(({ kind }) => kind === 'spend');
    if (pending < (hasBudget ? MAX_PENDING_WITH_BUDGETS : MAX_PENDING_SETTLEMENTS)) {
      this.#settlements.push({ orgId, settlement });
      return;
    }
    if (!hasBudget || this.#hasDropped) return;
    this.#hasDropped = true;
    this.#options.log.error(
      { pending },
      'too many updates wait for the shared store, so updates of budgets are dropped; their reservations remain in the shared store for up to six hours',
    );
  }

  /** Records a grant of this process alone. */
  recordLocalGrant(orgId: string, claims: readonly BucketClaim[], own: AcquireResult): void {
    this.#unreportedGrants.record(orgId, claims, own, this.#options.clock.monotonic());
  }

  /**
   * Sends all updates to the store. Only one call may run at a time, because two would send the same
   * updates.
   *
   * @throws the error of a store that does not respond; the remaining updates are kept
   */
  flush(): Promise<void> {
    this.#flushing ??= this.#flush().finally(() => {
      this.#flushing = null;
    });
    return this.#flushing;
  }

  /**
   * Sends all updates, for a limited time. Otherwise, the reservations of the last exchanges would remain in the store
   * for hours.
   */
  async close(): Promise<void> {
    const { clock, log } = this.#options;
    await withTimeout(clock, CLOSE_FLUSH_MS, this.flush()).catch((error: unknown) =>
      log.warn({ err: error }, 'could not send the last updates to the shared store'),
    );
  }

  async #flush(): Promise<void> {
    const { remote, clock } = this.#options;
    try {
      for (let owed = this.#settlements[0]; owed !== undefined; owed = this.#settlements[this.#sent]) {
        const { orgId, settlement } = owed;
        await this.#send(async () => remote.settle(orgId, settlement));
        this.#sent += 1;
        if (this.#sent === SENT_PER_REMOVAL) this.#removeSent();
      }
    } finally {
      this.#removeSent();
    }
    await this.#unreportedGrants.report(clock.monotonic(), (orgId, claim) =>
      this.#send(() => remote.acquire(orgId, `told_${randomUUID()}`, [claim])),
    );
    this.#hasDropped = false;
  }

  #removeSent(): void {
    this.#settlements.splice(0, this.#sent);
    this.#sent = 0;
  }

  /** Sends an update. An update that the store rejects is dropped, because all other updates would wait for it. */
  async #send(update: () => Promise<unknown>): Promise<void> {
    try {
      await withTimeout(this.#options.clock, this.#options.timeoutMs, update());
    } catch (error) {
      if (!(error instanceof CounterRejection)) throw error;
      this.#options.onRejected(error);
    }
  }
}
