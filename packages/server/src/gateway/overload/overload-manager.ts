import { Fault } from '@floe/contract/faults';
import type { GatewayLoad, OverloadReason } from '../../analytics/runtime-metrics.ts';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { RequestBodyCapacity } from '../client-call.ts';
import { EventLoopLimiter } from './event-loop-limiter.ts';
import { IncomingRequestBodies } from './incoming-request-bodies.ts';
import { MIN_RETRY_AFTER_MS, RejectionPacer } from './rejection-pacer.ts';
import { SharedCapacity } from './shared-capacity.ts';

/** Minimum time between two log lines about rejections. */
const LOG_INTERVAL_MS = 10_000;
/** Maximum number of bodies that are arriving. Each uses up to about 20 KB in addition to its bytes. */
const MAX_ARRIVING_BODIES = 4_096;
/**
 * Random part of `retry-after`, so that clients retry at different times and do not cause the next overload
 * together.
 */
const RETRY_AFTER_SPREAD_MS = 2_000;

/** The limits of `server.overload`. */
export interface OverloadLimits {
  readonly maxConcurrentExchanges: number;
  /** Maximum size of all request bodies and buffered responses in memory, in bytes. */
  readonly maxBodyBytes: number;
  /** Maximum size of all request bodies in temporary files, in bytes. */
  readonly maxBodyDiskBytes: number;
  /** The permitted delay of the event loop in milliseconds; 0 disables this limit. */
  readonly maxEventLoopDelayMs: number;
}

/** The capacities of a process that its organizations share. */
interface Capacities {
  readonly exchanges: SharedCapacity;
  readonly arriving: IncomingRequestBodies;
  readonly bodies: SharedCapacity;
  readonly bodiesOnDisk: SharedCapacity;
}

/** The dependencies of the overload manager. */
export interface OverloadDependencies {
  readonly clock: Clock;
  readonly log: Log;
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
  /** Returns the number of organizations in the installation. */
  readonly countOrgs: () => number;
  readonly recordRejection: (reason: OverloadReason) => void;
}

/**
 * Rejects new requests while the process cannot serve more of them, before it parses their bodies. Requests
 * in progress continue. Each organization receives a share of the capacity.
 */
export class OverloadManager {
  readonly #capacities: Capacities;
  readonly #eventLoopLimit: EventLoopLimiter;
  readonly #pacer: RejectionPacer;
  readonly #dependencies: OverloadDependencies;
  #rejectedSinceLog = 0;
  #loggedAt = Number.NEGATIVE_INFINITY;

  constructor(limits: OverloadLimits, dependencies: OverloadDependencies) {
    const { clock, countOrgs } = dependencies;
    this.#dependencies = dependencies;
    this.#pacer = new RejectionPacer(clock, () => this.#isReduced);
    const exchanges = new SharedCapacity(limits.maxConcurrentExchanges, countOrgs);
    this.#capacities = {
      exchanges,
      arriving: new IncomingRequestBodies(MAX_ARRIVING_BODIES),
      bodies: new SharedCapacity(limits.maxBodyBytes, countOrgs),
      bodiesOnDisk: new SharedCapacity(limits.maxBodyDiskBytes, countOrgs),
    };
    this.#eventLoopLimit = new EventLoopLimiter(exchanges, clock, limits.maxEventLoopDelayMs);
  }

  /** The capacity that is in use now. */
  get load(): GatewayLoad {
    const { exchanges, bodies, bodiesOnDisk } = this.#capacities;
    return {
      inFlight: exchanges.used,
      concurrencyLimit: exchanges.limit,
      bodyBytes: bodies.used,
      bodyDiskBytes: bodiesOnDisk.used,
    };
  }

  /**
   * Admits an exchange of an organization. The caller must release the result when the exchange ends. If there is no
   * capacity, throws Fault `overloaded`, or returns a promise that rejects with it at the time at which the response
   * may be sent.
   */
  admit(orgId: string, connection: object): ExchangeCapacity | Promise<never> {
    if (this.#eventLoopLimit.admitsNow(orgId) && this.#capacities.exchanges.tryTake(orgId, 1))
      return new ExchangeCapacity(orgId, this, this.#capacities);
    const fault = this.rejectExchange();
    const wait = this.#pacer.wait(connection);
    if (wait === null) throw fault;
    return wait.then(() => Promise.reject(fault));
  }

  /** Whether the number of exchanges is limited because of the event loop. */
  get #isReduced(): boolean {
    const { limit, maximum } = this.#capacities.exchanges;
    return this.#eventLoopLimit.isSaturated || limit < maximum;
  }

  /** Records that an exchange is rejected because too many are in progress, and returns its fault. */
  rejectExchange(): Fault {
    return this.reject(this.#isReduced ? 'event_loop_delay' : 'concurrent_requests');
  }

  /** Records a rejection, and returns its fault. */
  reject(reason: OverloadReason): Fault {
    const { clock, log, random, recordRejection } = this.#dependencies;
    recordRejection(reason);
    this.#rejectedSinceLog += 1;
    const nowMs = clock.monotonic();
    if (nowMs - this.#loggedAt >= LOG_INTERVAL_MS) {
      log.warn(
        {
          reason,
          rejected: this.#rejectedSinceLog,
          in_flight: this.load.inFlight,
          limit: this.load.concurrencyLimit,
          body_bytes: this.load.bodyBytes,
          body_disk_bytes: this.load.bodyDiskBytes,
        },
        'requests were rejected because the server is overloaded',
      );
      this.#loggedAt = nowMs;
      this.#rejectedSinceLog = 0;
    }
    return new Fault('overloaded', MESSAGES[reason], {
      retryAfterMs: MIN_RETRY_AFTER_MS + Math.floor(random() * RETRY_AFTER_SPREAD_MS),
    });
  }
}

const MESSAGES: Readonly<Record<OverloadReason, string>> = {
  concurrent_requests: 'Floe is overloaded: too many requests are in progress. Retry the request.',
  event_loop_delay: 'Floe is overloaded: requests arrive faster than it can process them. Retry the request.',
  body_memory:
    'Floe is overloaded: the bodies of the requests in progress and of their responses have reached the memory limit. Retry the request.',
  body_disk:
    'Floe is overloaded: the request bodies in temporary files have reached the disk limit. Retry the request.',
  arriving_bodies:
    'Floe is overloaded: too many request bodies are arriving, and this one has been arriving longer than the others of this organization. Send the body faster, or retry the request.',
};

/** The capacity that one exchange uses. */
export class ExchangeCapacity implements RequestBodyCapacity {
  readonly #orgId: string;
  readonly #manager: OverloadManager;
  readonly #capacities: Capacities;
  /** False while the body arrives, and after a rejection. */
  #isInProgress = true;
  #onEvicted: ((fault: Fault) => void) | null = null;
  #bodyBytes = 0;
  #bodyDiskBytes = 0;
  #isReleased = false;

  constructor(orgId: string, manager: OverloadManager, capacities: Capacities) {
    this.#orgId = orgId;
    this.#manager = manager;
    this.#capacities = capacities;
  }

  beginBody(onEvicted: (fault: Fault) => void): void {
    this.#isInProgress = false;
    this.#onEvicted = onEvicted;
    this.#capacities.exchanges.release(this.#orgId, 1);
    this.#capacities.arriving.add(this.#orgId, this);
  }

  endBody(): Fault | null {
    this.#capacities.arriving.delete(this.#orgId, this);
    this.#isInProgress = this.#capacities.exchanges.tryTake(this.#orgId, 1);
    return this.#isInProgress ? null : this.#manager.rejectExchange();
  }

  evict(): void {
    this.#onEvicted?.(this.#manager.reject('arriving_bodies'));
  }

  tryTakeBodyBytes(bytes: number): boolean {
    const isTaken = !this.#isReleased && this.#capacities.bodies.tryTake(this.#orgId, bytes);
    if (isTaken) this.#bodyBytes += bytes;
    return isTaken;
  }

  releaseBodyBytes(bytes: number): void {
    if (bytes === 0 || this.#isReleased) return;
    this.#bodyBytes -= bytes;
    this.#capacities.bodies.release(this.#orgId, bytes);
  }

  tryTakeBodyDiskBytes(bytes: number): boolean {
    const isTaken = !this.#isReleased && this.#capacities.bodiesOnDisk.tryTake(this.#orgId, bytes);
    if (isTaken) this.#bodyDiskBytes += bytes;
    return isTaken;
  }

  reject(reason: 'body_memory' | 'body_disk' = 'body_memory'): Fault {
    return this.#manager.reject(reason);
  }

  /** Releases the capacity. Must be called exactly once. */
  release(): void {
    const { exchanges, arriving, bodies, bodiesOnDisk } = this.#capacities;
    this.#isReleased = true;
    if (this.#isInProgress) exchanges.release(this.#orgId, 1);
    else arriving.delete(this.#orgId, this);
    if (this.#bodyBytes > 0) bodies.release(this.#orgId, this.#bodyBytes);
    if (this.#bodyDiskBytes > 0) bodiesOnDisk.release(this.#orgId, this.#bodyDiskBytes);
  }
}
