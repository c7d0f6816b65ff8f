import type { DatabaseWriter, SnapshotSignals } from '../store-interfaces.ts';

/** Signals that are sent when the transaction has committed. */
export interface CommitSignals extends SnapshotSignals {
  hasAnnounced(writer: DatabaseWriter): boolean;
  /** Called after the commit of a transaction that has announced a change. */
  notify(): void;
  /** Starts to receive changes by other processes. */
  open(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Notifies this process of snapshot changes. Used if no other process uses the database. Notifications are
 * delivered directly after the commit.
 */
export class InProcessSnapshotSignals implements CommitSignals {
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

  /** Does nothing, because no other process changes the database. */
  open(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
