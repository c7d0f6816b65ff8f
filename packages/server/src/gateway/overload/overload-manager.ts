import { Fault } from '@floe/contract/faults';
import type { GatewayLoad, OverloadReason } from '../../analytics/runtime-metrics.ts';
import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { BodyMemory } from '../client-connection.ts';
import { EventLoopLimit } from './event-loop-limit.ts';
import { RejectionPacer } from './rejection-pacer.ts';
import { SharedCapacity } from './shared-capacity.ts';

/** Minimum time between two log lines about rejections. */
const LOG_INTERVAL_MS = 10_000;
const MIN_RETRY_AFTER_MS = 1_000;
/**
 * Random part of `retry-after`, so that clients retry at different times and do not cause the next overload
 * together.
 */
const RETRY_AFTER_SPREAD_MS = 2_000;

/** The limits of `server.overload`. */
export interface OverloadLimits {
  readonly maxConcurrentExchanges: number;
  /** Maximum size of all request bodies in memory, in bytes. */
  readonly maxBodyBytes: number;
  /** The permitted delay of the event loop in milliseconds; 0 disables this limit. */
  readonly maxEventLoopDelayMs: number;
}

/** What the overload manager needs from the rest of the process. */
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
  readonly #exchanges: SharedCapacity;
  readonly #bodies: SharedCapacity;
  readonly #eventLoopLimit: EventLoopLimit;
  readonly #pacer: RejectionPacer;
  readonly #dependencies: OverloadDependencies;
  #rejectedSinceLog = 0;
  #loggedAt = Number.NEGATIVE_INFINITY;

  constructor(limits: OverloadLimits, dependencies: OverloadDependencies) {
    const { clock, countOrgs } = dependencies;
    this.#dependencies = dependencies;
    this.#pacer = new RejectionPacer(clock, () => this.#isReduced);
    this.#exchanges = new SharedCapacity(limits.maxConcurrentExchanges, countOrgs);
    this.#bodies = new SharedCapacity(limits.maxBodyBytes, countOrgs);
    this.#eventLoopLimit = new EventLoopLimit(this.#exchanges, clock, limits.maxEventLoopDelayMs);
  }

  /** The capacity that is in use now. */
  get load(): GatewayLoad {
    const { used, limit } = this.#exchanges;
    return { inFlight: used, concurrencyLimit: limit, bodyBytes: this.#bodies.used };
  }

  /**
   * Admits an exchange of an organization. The caller must release the result when the exchange ends. If
   * there is no capacity, returns a promise that rejects with Fault `overloaded`, at the time at which the
   * response may be sent.
   */
  admit(orgId: string): AdmittedExchange | Promise<never> {
    if (!this.#eventLoopLimit.admitsNow(orgId) || !this.#exchanges.tryTake(orgId, 1)) {
      const fault = this.reject(this.#isReduced ? 'event_loop_delay' : 'concurrent_requests');
      return this.#pacer.wait().then(() => Promise.reject(fault));
    }
    return new AdmittedExchange(this, orgId);
  }

  /** Reserves memory for a part of a request body. Returns false if none is available. */
  tryTakeBodyBytes(orgId: string, bytes: number): boolean {
    return this.#bodies.tryTake(orgId, bytes);
  }

  /** Releases the capacity of an exchange. */
  release(orgId: string, bodyBytes: number): void {
    this.#exchanges.release(orgId, 1);
    if (bodyBytes > 0) this.#bodies.release(orgId, bodyBytes);
  }

  /** Whether the number of exchanges is limited because of the event loop. */
  get #isReduced(): boolean {
    return this.#eventLoopLimit.isSaturated || this.#exchanges.limit < this.#exchanges.maximum;
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
          in_flight: this.#exchanges.used,
          limit: this.#exchanges.limit,
          body_bytes: this.#bodies.used,
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
    'Floe is overloaded: the request bodies in progress have reached the memory limit. Retry the request.',
};

/** The capacity that one exchange uses. */
export class AdmittedExchange implements BodyMemory {
  readonly #manager: OverloadManager;
  readonly #orgId: string;
  #bodyBytes = 0;

  constructor(manager: OverloadManager, orgId: string) {
    this.#manager = manager;
    this.#orgId = orgId;
  }

  tryTakeBodyBytes(bytes: number): boolean {
    const isTaken = this.#manager.tryTakeBodyBytes(this.#orgId, bytes);
    if (isTaken) this.#bodyBytes += bytes;
    return isTaken;
  }

  reject(): Fault {
    return this.#manager.reject('body_memory');
  }

  /** Releases the capacity. Must be called exactly once. */
  release(): void {
    this.#manager.release(this.#orgId, this.#bodyBytes);
  }
}
