import type { FloeError } from './errors.ts';
import type { Runtime } from './runtime.ts';

/** A function that is called with each error of the SDK. */
export type OnError = (error: FloeError) => unknown;

const REPEAT_AFTER_MS = 600_000;

/**
 * Passes errors to `onError`. Without `onError`, logs one line for each error, but the same line at most once in
 * ten minutes. Errors that `onError` throws are ignored.
 */
export class FailureReporter {
  readonly #runtime: Runtime;
  readonly #onError: OnError | undefined;
  readonly #loggedAtMs = new Map<string, number>();

  constructor(runtime: Runtime, onError: OnError | undefined) {
    this.#runtime = runtime;
    this.#onError = onError;
  }

  reportFailure(monitorId: string, error: FloeError, onError: OnError | undefined = this.#onError): void {
    if (onError === undefined) {
      this.logLimited(`monitor ${monitorId}: ${error.code}`, `${monitorId}: ${error.message}`);
      return;
    }
    try {
      Promise.resolve(onError(error)).catch(() => undefined);
    } catch {
      // An error in the job's own callback. Beats continue.
    }
  }

  /** Logs a line, unless a line with the same key was logged in the last ten minutes. */
  logLimited(about: string, line: string): void {
    const nowMs = this.#runtime.monotonic();
    const saidMs = this.#loggedAtMs.get(about);
    if (saidMs !== undefined && nowMs - saidMs < REPEAT_AFTER_MS) return;
    // Codes come from the server. New codes in every response must not exhaust the memory.
    if (this.#loggedAtMs.size >= 1000) this.#loggedAtMs.clear();
    this.#loggedAtMs.set(about, nowMs);
    try {
      this.#runtime.log(`floe: ${line}`);
    } catch {
      // The log itself failed, so there is no place to report this.
    }
  }
}
