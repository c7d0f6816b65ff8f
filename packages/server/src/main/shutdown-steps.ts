import { type Clock, resolveWithFallback } from '../core/clock.ts';
import type { Log } from '../core/log.ts';

/**
 * Runs the steps of a shutdown one after the other. A step that exceeds its time limit or fails does not prevent the
 * next step, so a database, disk or receiver that does not respond cannot prevent records from being stored.
 */
export class ShutdownSteps {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #log: Log;
  readonly #late: string[] = [];
  readonly #errors: unknown[] = [];

  constructor(clock: Pick<Clock, 'after'>, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Waits until all parts of a step have ended, but at most `limitMs`. The remaining parts continue. */
  async run(step: string, limitMs: number, parts: readonly Promise<unknown>[]): Promise<void> {
    const results = await resolveWithFallback(this.#clock, limitMs, Promise.allSettled(parts), null);
    // Errors that a late part throws, for example because a later step closes its connection, are ignored.
    if (results === null) this.#late.push(step);
    else for (const each of results) if (each.status === 'rejected') this.#errors.push(each.reason);
  }

  /** Logs the steps that exceeded their time limits, and further errors. @throws the first error of a step */
  finish(): void {
    if (this.#late.length > 0)
      this.#log.warn(
        { steps: this.#late },
        'shutdown was not completed in time, possibly because a database or a disk does not respond; the process ends now; the records in the data directory will be stored in the database at the next start',
      );
    const [first, ...others] = this.#errors;
    for (const err of others) this.#log.error({ err }, 'shutdown failed');
    if (this.#errors.length > 0) throw first;
  }
}
