import { Fault } from '@floe/contract/faults';
import type { Clock, Timer } from '../core/clock.ts';
import { getCurrentOrgId } from '../core/org-context.ts';

/** Decides in which order operations use the database. An operation runs during its turn. */
export interface TurnScheduler {
  /**
   * Resolves when it is the caller's turn, with the function that ends the turn.
   * @throws Fault `overloaded` if the wait has a limit and takes longer
   */
  acquire(): Promise<() => void>;
}

/** How many turns can run at once, and how long to wait for one. */
export interface TurnSchedulerLimits {
  readonly total: number;
  /** Maximum for one organization. Default: `total`. */
  readonly perOrg?: number;
  /** Default: no limit. */
  readonly maxWaitMs?: number;
}

/** Maximum time by which the server, or the organizations together, can be ahead. */
const MAX_CREDIT_MS = 1_000;

interface Waiter {
  readonly start: (endTurn: () => void) => void;
  isStarted: boolean;
  timer: Timer | null;
}

/** The operations of an organization, or of the server. */
interface TurnQueue {
  /** Null for the server. */
  readonly org: string | null;
  /** In the order of their calls. */
  readonly waiters: Waiter[];
  running: number;
  /** Running time of its turns, in milliseconds. A queue that was idle does not gain from its pause. */
  usedMs: number;
}

/**
 * Gives the next turn to the organization whose turns have run for the shortest time, as in fair queueing. An
 * operation then waits only for operations that are already running, and not for the queue of another organization. The
 * server's own work, such as the refresh of the snapshot, comes first until its turns have run for as long as those of
 * all organizations together. The operations of one organization, and those of the server, run in
 * the order of their calls.
 */
export class FairTurnScheduler implements TurnScheduler {
  readonly #clock: Pick<Clock, 'monotonic' | 'after'>;
  readonly #limits: Required<TurnSchedulerLimits>;
  readonly #server: TurnQueue = { org: null, waiters: [], running: 0, usedMs: 0 };
  readonly #orgs = new Map<string, TurnQueue>();
  /** Running time of the turns of all organizations, in milliseconds. */
  #orgsUsedMs = 0;
  /** The largest `usedMs` at the start of a turn of an organization. Never decreases, so that none waits forever. */
  #virtualMs = 0;
  #orgsRunning = 0;
  #running = 0;

  constructor(clock: Pick<Clock, 'monotonic' | 'after'>, limits: TurnSchedulerLimits) {
    this.#clock = clock;
    this.#limits = { perOrg: limits.total, maxWaitMs: Number.POSITIVE_INFINITY, ...limits };
  }

  acquire(): Promise<() => void> {
    const org = getCurrentOrgId();
    const queue = org === undefined ? this.#activateServer() : this.#activateOrg(org);
    const { promise, resolve, reject } = Promise.withResolvers<() => void>();
    const waiter: Waiter = { start: resolve, isStarted: false, timer: null };
    queue.waiters.push(waiter);
    this.#startWaiting();
    if (!waiter.isStarted) this.#limitWait(queue, waiter, reject);
    return promise;
  }

  #activateServer(): TurnQueue {
    if (isIdle(this.#server)) this.#server.usedMs = Math.max(this.#server.usedMs, this.#orgsUsedMs);
    return this.#server;
  }

  #activateOrg(org: string): TurnQueue {
    const queue = this.#orgs.get(org) ?? { org, waiters: [], running: 0, usedMs: 0 };
    if (isIdle(queue)) queue.usedMs = Math.max(queue.usedMs, this.#virtualMs);
    this.#orgs.set(org, queue);
    return queue;
  }

  #limitWait(queue: TurnQueue, waiter: Waiter, reject: (error: Fault) => void): void {
    const { maxWaitMs } = this.#limits;
    if (maxWaitMs === Number.POSITIVE_INFINITY) return;
    waiter.timer = this.#clock.after(maxWaitMs, () => {
      queue.waiters.splice(queue.waiters.indexOf(waiter), 1);
      const reason = `The database was busy for ${maxWaitMs / 1_000} s. Retry the request.`;
      reject(new Fault('overloaded', reason, { retryAfterMs: 1_000 }));
    });
  }

  #startWaiting(): void {
    while (this.#running < this.#limits.total) {
      const queue = this.#findNextQueue();
      const waiter = queue?.waiters.shift();
      if (!queue || !waiter) return;
      this.#start(queue, waiter);
    }
  }

  #findNextQueue(): TurnQueue | undefined {
    this.#limitCredit();
    const isServerWaiting = this.#server.waiters.length > 0;
    if (isServerWaiting && this.#server.usedMs <= this.#orgsUsedMs) return this.#server;
    return this.#findNextOrg() ?? (isServerWaiting ? this.#server : undefined);
  }

  /** Organizations together leave one turn free for the server, unless there is only one. */
  #findNextOrg(): TurnQueue | undefined {
    if (this.#orgsRunning >= Math.max(1, this.#limits.total - 1)) return undefined;
    let next: TurnQueue | undefined;
    for (const [org, queue] of this.#orgs) {
      if (isIdle(queue) && queue.usedMs <= this.#virtualMs) this.#orgs.delete(org);
      const mayRun = queue.waiters.length > 0 && queue.running < this.#limits.perOrg;
      if (mayRun && (next === undefined || queue.usedMs < next.usedMs)) next = queue;
    }
    return next;
  }

  /** Limits the advantage that the server or the organizations gain while they use the database little. */
  #limitCredit(): void {
    this.#server.usedMs = Math.max(this.#server.usedMs, this.#orgsUsedMs - MAX_CREDIT_MS);
    this.#orgsUsedMs = Math.max(this.#orgsUsedMs, this.#server.usedMs - MAX_CREDIT_MS);
  }

  #start(queue: TurnQueue, waiter: Waiter): void {
    waiter.isStarted = true;
    waiter.timer?.cancel();
    const startedAt = this.#clock.monotonic();
    queue.running += 1;
    this.#running += 1;
    if (queue.org !== null) {
      this.#orgsRunning += 1;
      this.#virtualMs = Math.max(this.#virtualMs, queue.usedMs);
      // Of organizations with the same time, the one whose last turn is the longest ago comes first.
      this.#orgs.delete(queue.org);
      this.#orgs.set(queue.org, queue);
    }
    let isRunning = true;
    const endTurn = () => {
      if (!isRunning) return;
      isRunning = false;
      const ms = this.#clock.monotonic() - startedAt;
      queue.usedMs += ms;
      queue.running -= 1;
      this.#running -= 1;
      if (queue.org !== null) {
        this.#orgsUsedMs += ms;
        this.#orgsRunning -= 1;
      }
      this.#startWaiting();
    };
    waiter.start(endTurn);
  }
}

function isIdle({ waiters, running }: TurnQueue): boolean {
  return waiters.length === 0 && running === 0;
}
