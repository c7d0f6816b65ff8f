import { sql } from 'kysely';
import type { Clock, Timer } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { runForServer } from '../core/org-context.ts';
import { getSetting } from './settings.ts';
import type { DatabaseReader, DatabaseWriter, SnapshotSignals } from './store-interfaces.ts';

const VERSION_SETTING = 'snapshot_version';
/**
 * Poll interval. Two polls fit into the two seconds within which a revoked key must stop working everywhere.
 */
const POLL_MS = 900;
const MAX_STALENESS_MS = 2_000;

export interface PolledSnapshotSignalsOptions {
  readonly read: DatabaseReader;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Notifies processes of snapshot changes through a version number in the database. Each change increases the
 * number in its own transaction. Each process polls the number every 900 ms, and immediately after a notification
 * that reaches it in another way (`checkVersion`).
 */
export class PolledSnapshotSignals implements SnapshotSignals {
  readonly #options: PolledSnapshotSignalsOptions;
  readonly #listeners: (() => void)[] = [];
  #seen: string | undefined;
  #poll: Timer | null = null;
  #checking = false;
  /**
   * When the last successful poll started. Every change that was committed before this time has been seen.
   */
  #knownAt = Number.NEGATIVE_INFINITY;
  #isAnswered = true;
  #closed = false;

  constructor(options: PolledSnapshotSignalsOptions) {
    this.#options = options;
  }

  /** Starts to poll. Changes after this call are reported. */
  async open(): Promise<void> {
    this.#knownAt = this.#options.clock.monotonic();
    this.#seen = await getSetting(this.#options.read, VERSION_SETTING);
    this.#schedulePoll();
  }

  async announce(writer: DatabaseWriter): Promise<void> {
    await sql`insert into settings (name, value) values (${VERSION_SETTING}, '1')
      on conflict (name) do update set value = cast(cast(settings.value as bigint) + 1 as text)`.execute(
      writer,
    );
  }

  isUpToDate(): boolean {
    return this.#isAnswered && this.#options.clock.monotonic() - this.#knownAt <= MAX_STALENESS_MS;
  }

  onChange(stale: () => void): void {
    this.#listeners.push(stale);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#poll?.cancel();
  }

  /** Polls the version, unless a poll is running. The next poll finds changes that occur during this one. */
  checkVersion(): void {
    // All organizations wait for it, whichever of them made a change.
    runForServer(() => this.#checkVersion());
  }

  #checkVersion(): void {
    if (this.#checking || this.#closed) return;
    this.#checking = true;
    const began = this.#options.clock.monotonic();
    getSetting(this.#options.read, VERSION_SETTING)
      .then(
        (version) => {
          this.#knownAt = began;
          this.#isAnswered = true;
          if (version === this.#seen) return;
          this.#seen = version;
          for (const stale of this.#listeners) stale();
        },
        (error: unknown) => {
          this.#isAnswered = false;
          this.#options.log.debug({ err: error }, 'polling for changes to keys or the configuration failed');
        },
      )
      .finally(() => {
        this.#checking = false;
      });
  }

  #schedulePoll(): void {
    this.#poll = this.#options.clock.after(POLL_MS, () => {
      this.checkVersion();
      if (!this.#closed) this.#schedulePoll();
    });
  }
}
