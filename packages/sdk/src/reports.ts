import type { FloeError } from './errors.ts';
import type { Surroundings } from './surroundings.ts';

export type OnError = (error: FloeError) => unknown;

const REPEAT_AFTER_MS = 600_000;

/**
 * Where failures go: to `onError` when there is one, else to one log line, said again after ten minutes at the
 * earliest. What `onError` throws or rejects with goes no further.
 */
export class Reports {
  readonly #around: Surroundings;
  readonly #onError: OnError | undefined;
  readonly #saidAtMs = new Map<string, number>();

  constructor(around: Surroundings, onError: OnError | undefined) {
    this.#around = around;
    this.#onError = onError;
  }

  failed(monitorId: string, error: FloeError, onError: OnError | undefined = this.#onError): void {
    if (onError === undefined) {
      this.say(`monitor ${monitorId}: ${error.code}`, `${monitorId}: ${error.message}`);
      return;
    }
    try {
      Promise.resolve(onError(error)).catch(() => undefined);
    } catch {
      // The job's own mistake in its own callback; beating goes on.
    }
  }

  /** A line for the log, unless one about the same thing was said in the last ten minutes. */
  say(about: string, line: string): void {
    const nowMs = this.#around.monotonic();
    const saidMs = this.#saidAtMs.get(about);
    if (saidMs !== undefined && nowMs - saidMs < REPEAT_AFTER_MS) return;
    // Codes come from a server: a new one with every answer must not fill the memory.
    if (this.#saidAtMs.size >= 1000) this.#saidAtMs.clear();
    this.#saidAtMs.set(about, nowMs);
    try {
      this.#around.log(`floe: ${line}`);
    } catch {
      // Nothing left to tell it to.
    }
  }
}
