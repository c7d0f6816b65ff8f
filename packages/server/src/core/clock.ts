import { runForServer } from './org-context.ts';

/**
 * Provides the time as a dependency. In production it is `systemClock`. Tests use a clock that they
 * advance.
 */
export interface Clock {
  /** Returns milliseconds since the Unix epoch. The value can jump when the machine's clock is set. */
  now(): number;
  /**
   * Returns milliseconds with fractions since an arbitrary origin. The value never jumps, so use it for
   * durations.
   */
  monotonic(): number;
  /**
   * Runs `callback` once after `ms`. The timer does not keep the process alive, unless `keepsProcessAlive` is
   * true.
   */
  after(ms: number, callback: () => void, keepsProcessAlive?: boolean): Timer;
}

/** A timer that can be canceled. */
export interface Timer {
  cancel(): void;
}

/** A timer that fires this much later than it should shows that the process or its machine was paused. */
const STALL_MS = 1_000;

/** The operating system's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback, keepsProcessAlive = false) {
    const dueAt = performance.now() + ms;
    let afterReads: NodeJS.Immediate | undefined;
    const fire = () => {
      // After a stall, data that has arrived is read first. Otherwise, every time limit would expire.
      if (performance.now() - dueAt < STALL_MS) callback();
      else afterReads = setImmediate(callback);
    };
    // What a timer starts later is not part of the request that set it.
    const timer = runForServer(() => setTimeout(fire, ms));
    if (!keepsProcessAlive) timer.unref();
    return {
      cancel() {
        clearTimeout(timer);
        clearImmediate(afterReads);
      },
    };
  },
};

/**
 * Resolves to true after `ms` milliseconds, or to false as soon as the signal aborts. Keeps the process
 * alive, for callers that still have work to do, such as waiting for the database at startup.
 */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve(false);
    const stop = () => {
      timer.cancel();
      resolve(false);
    };
    const timer = clock.after(
      ms,
      () => {
        signal?.removeEventListener('abort', stop);
        resolve(true);
      },
      true,
    );
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/**
 * Resolves to the result of `work`, or to `fallback` if `work` fails or takes longer than `ms`
 * milliseconds. Used for optional results.
 */
export async function resolveWithFallback<T>(
  clock: Pick<Clock, 'after'>,
  ms: number,
  work: Promise<T>,
  fallback: T,
): Promise<T> {
  const late = Promise.withResolvers<T>();
  const timer = clock.after(ms, () => late.resolve(fallback));
  try {
    return await Promise.race([work.catch(() => fallback), late.promise]);
  } finally {
    timer.cancel();
  }
}
