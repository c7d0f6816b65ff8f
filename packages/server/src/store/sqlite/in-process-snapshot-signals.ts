import type { DatabaseWriter, SnapshotSignals } from '../store-interfaces.ts';

/**
 * Notifies this process of snapshot changes. Used if no other process uses the database. Notifications are
 * delivered directly after the commit.
 */
export class InProcessSnapshotSignals implements SnapshotSignals {
  readonly #listeners: (() => void)[] = [];
  readonly #announced = new WeakSet<DatabaseWriter>();

  async announce(writer: DatabaseWriter): Promise<void> {
    this.#announced.add(writer);
  }

  onChange(stale: () => void): void {
    this.#listeners.push(stale);
  }

  /** Always true, because no other process changes the database. */
  isUpToDate(): boolean {
    return true;
  }

  hasAnnounced(writer: DatabaseWriter): boolean {
    return this.#announced.has(writer);
  }

  notify(): void {
    for (const stale of this.#listeners) stale();
  }
}
