import type { Signals, Writer } from '../ports.ts';

/** Signals of a store that one process has for itself: heard here, right after the commit. */
export class ProcessSignals implements Signals {
  readonly #listeners: (() => void)[] = [];
  readonly #announced = new WeakSet<Writer>();

  async announce(writer: Writer): Promise<void> {
    this.#announced.add(writer);
  }

  onChange(stale: () => void): void {
    this.#listeners.push(stale);
  }

  /** Nobody else changes it. */
  upToDate(): boolean {
    return true;
  }

  announcedIn(writer: Writer): boolean {
    return this.#announced.has(writer);
  }

  tell(): void {
    for (const stale of this.#listeners) stale();
  }
}
