import type { Clock } from '../../core/clock.ts';

/**
 * Resolves to the value of `work`. Rejects with an error if `work` takes longer than `ms` milliseconds.
 * `work` itself continues.
 */
export function withTimeout<T>(clock: Pick<Clock, 'after'>, ms: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    // If this process was blocked, both the timer and the response are ready. The response is read first.
    const late = () => setImmediate(reject, new Error(`the store did not respond within ${ms} ms`));
    const timer = clock.after(ms, late);
    work.then(
      (value) => {
        timer.cancel();
        resolve(value);
      },
      (error: unknown) => {
        timer.cancel();
        reject(error);
      },
    );
  });
}
