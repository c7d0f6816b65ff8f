import type { CoordinatorClient } from '../coordinator/coordinator-client.ts';
import { PolledSnapshotSignals, type PolledSnapshotSignalsOptions } from '../polled-snapshot-signals.ts';
import type { DatabaseWriter } from '../store-interfaces.ts';
import type { CommitSignals } from './in-process-snapshot-signals.ts';

export interface CoordinatedSnapshotSignalsOptions extends PolledSnapshotSignalsOptions {
  readonly coordinator: CoordinatorClient;
}

/**
 * Notifies the processes of one server of snapshot changes through their supervisor. The version number is also
 * polled, because a process can be killed between its commit and the notification.
 */
export class CoordinatedSnapshotSignals extends PolledSnapshotSignals implements CommitSignals {
  readonly #coordinator: CoordinatorClient;
  readonly #announced = new WeakSet<DatabaseWriter>();

  constructor(options: CoordinatedSnapshotSignalsOptions) {
    super(options);
    this.#coordinator = options.coordinator;
    options.coordinator.onChange(() => this.checkVersion());
  }

  override async announce(writer: DatabaseWriter): Promise<void> {
    await super.announce(writer);
    this.#announced.add(writer);
  }

  hasAnnounced(writer: DatabaseWriter): boolean {
    return this.#announced.has(writer);
  }

  notify(): void {
    this.checkVersion();
    this.#coordinator.announceChange();
  }
}
