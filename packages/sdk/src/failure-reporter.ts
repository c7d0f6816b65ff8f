import type { FloeError } from './errors.ts';
import type { Runtime } from './runtime.ts';

export type OnError = (error: FloeError) => unknown;

const REPEAT_AFTER_MS = 600_000;

/**
 * Where failures go: to `onError` when there is one, else to one log line, said again after ten minutes at the
 * earliest. What `onError` throws or rejects with goes no further.
 */
export class FailureReporter {
  readonly #runtime: Runtime;
  readonly #onError: OnError | undefined;
  readonly #loggedAtMs = new Map<string, number>();

  constructor(around: Runtime, onError: OnError | undefined) {
    this.#runtime = around;
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
      // The job's own mistake in its own callback; beating goes on.
    }
  }

  /** A line for the log, unless one about the same thing was said in the last ten minutes. */
  logLimited(about: string, line: string): void {
    const nowMs = this.#runtime.monotonic();
    const saidMs = this.#loggedAtMs.get(about);
    if (saidMs !== undefined && nowMs - saidMs < REPEAT_AFTER_MS) return;
    // Codes come from a server: a new one with every answer must not fill the memory.
    if (this.#loggedAtMs.size >= 1000) this.#loggedAtMs.clear();
    this.#loggedAtMs.set(about, nowMs);
    try {
      this.#runtime.log(`floe: ${line}`);
    } catch {
      // Nothing left to tell it to.
    }
  }
}
