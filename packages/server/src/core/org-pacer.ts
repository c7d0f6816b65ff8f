import type { Clock } from './clock.ts';

/** Work of this duration is not followed by a pause. */
const FREE_MS = 10;
/** Longest pause, because the duration of the work includes its waits. */
const MAX_PAUSE_MS = 5_000;

/** Limits for the work of each organization. */
export interface OrgPacerLimits {
  /** Maximum number of waiting tasks of one organization. Further ones are rejected. */
  readonly maxWaiting: number;
  /** After long work, an organization pauses for this many times as long. */
  readonly pauseFactor: number;
}

/** Thrown if too much work of an organization is waiting. */
export class OrgQueueFullError extends Error {
  override readonly name = 'OrgQueueFullError';
}

interface OrgWork {
  /** Resolves when the pause after the last work has ended. */
  last: Promise<void>;
  unfinished: number;
}

/**
 * Limits expensive work on the main thread that organizations cause. The tasks of one organization run one after the
 * other, so that the tasks of others run in between. With a pause factor of 4, the long tasks of an organization
 * use at most a fifth of the time.
 */
export class OrgPacer {
  readonly #clock: Pick<Clock, 'monotonic' | 'after'>;
  readonly #limits: OrgPacerLimits;
  readonly #orgs = new Map<string, OrgWork>();

  constructor(clock: Pick<Clock, 'monotonic' | 'after'>, limits: OrgPacerLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /**
   * Runs work of an organization after its earlier work.
   * @throws OrgQueueFullError if too much work of the organization is waiting
   */
  async run<Result>(orgId: string, work: () => Promise<Result> | Result): Promise<Result> {
    const own = this.#orgs.get(orgId) ?? { last: Promise.resolve(), unfinished: 0 };
    if (own.unfinished > this.#limits.maxWaiting)
      throw new OrgQueueFullError('Too many expensive requests of this organization are waiting.');
    this.#orgs.set(orgId, own);
    own.unfinished += 1;
    const done = own.last.then(() => this.#measure(work));
    // The error of the work is in the outcome.
    const paused = done.then(({ ms }) => this.#pause(ms));
    own.last = paused.finally(() => {
      own.unfinished -= 1;
      if (own.unfinished === 0) this.#orgs.delete(orgId);
    });
    const outcome = await done;
    if ('error' in outcome) throw outcome.error;
    return outcome.result;
  }

  async #measure<Result>(work: () => Promise<Result> | Result) {
    const startedAt = this.#clock.monotonic();
    const ms = () => this.#clock.monotonic() - startedAt;
    try {
      const result = await work();
      return { result, ms: ms() };
    } catch (error) {
      return { error, ms: ms() };
    }
  }

  async #pause(workMs: number): Promise<void> {
    if (workMs <= FREE_MS || this.#limits.pauseFactor === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#clock.after(Math.min(MAX_PAUSE_MS, Math.floor(workMs * this.#limits.pauseFactor)), resolve);
    await promise;
  }
}
