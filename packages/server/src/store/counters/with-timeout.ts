import type { Clock } from '../../core/clock.ts';

/** What `work` gives; rejects when that takes longer than `ms`. */
export function withTimeout<T>(clock: Pick<Clock, 'after'>, ms: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    // A process that was busy itself finds the timer due and the answer waiting: the answer is read first.
    const late = () => setImmediate(reject, new Error(`no response within ${ms} ms`));
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
