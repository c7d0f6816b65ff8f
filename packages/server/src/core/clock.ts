/** Time as a dependency: production passes `systemClock`, tests pass a clock they move by hand. */
export interface Clock {
  /** Milliseconds since the Unix epoch; may step when the machine's clock is set. */
  now(): number;
  /** Milliseconds with fractions from an arbitrary origin; never steps. Use it for durations. */
  monotonic(): number;
  /** Runs `callback` once after `ms`. The timer alone keeps no process alive, unless `keepsProcessAlive`. */
  after(ms: number, callback: () => void, keepsProcessAlive?: boolean): Timer;
}

export interface Timer {
  cancel(): void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback, keepsProcessAlive = false) {
    const timer = setTimeout(callback, ms);
    if (!keepsProcessAlive) timer.unref();
    return { cancel: () => clearTimeout(timer) };
  },
};

/**
 * Resolves after `ms`, or at once with `false` when the signal fires first. It keeps the process alive: what waits here
 * has something left to do, as a start that waits for its database.
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

/** What `work` gives, or `otherwise` when it fails or takes longer than `ms`: for what can be done without. */
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
