import type { Clock } from './clock.ts';
import type { Log } from './log.ts';

/** Milliseconds between two lines about the same failure. */
const REPEAT_INTERVAL_MS = 60_000;

/** The log messages of a `RepeatedFailureLog`. */
export interface RepeatedFailureMessages {
  /** Logged as a warning when an attempt fails. */
  readonly failed: string;
  /** Logged when an attempt succeeds after a failure. Absent if each attempt is independent of the others. */
  readonly recovered?: string;
}

/**
 * Logs the failures of work that is repeated every few seconds, such as a poll of the database. A one-hour outage
 * would otherwise fill the log with thousands of identical lines. The first failure is logged immediately, then one
 * line per minute with the number of failures since the previous line.
 */
export class RepeatedFailureLog {
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #messages: RepeatedFailureMessages;
  #failing = false;
  #unreportedFailures = 0;
  #loggedAt = 0;

  constructor(log: Log, clock: Clock, messages: RepeatedFailureMessages) {
    this.#log = log;
    this.#clock = clock;
    this.#messages = messages;
  }

  /** Records a failed attempt. `details` are the fields of its log line, such as the organization. */
  fail(error: unknown, details: Readonly<Record<string, unknown>> = {}): void {
    this.#unreportedFailures += 1;
    const now = this.#clock.monotonic();
    if (this.#failing && now - this.#loggedAt < REPEAT_INTERVAL_MS) return;
    this.#log.warn({ ...details, err: error, failures: this.#unreportedFailures }, this.#messages.failed);
    this.#failing = true;
    this.#loggedAt = now;
    this.#unreportedFailures = 0;
  }

  /** Records a successful attempt. */
  succeed(): void {
    if (!this.#failing) return;
    this.#failing = false;
    this.#unreportedFailures = 0;
    if (this.#messages.recovered !== undefined) this.#log.info({}, this.#messages.recovered);
  }
}
