import { sql } from 'kysely';
import pg from 'pg';
import type { Clock, Timer } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import { getSetting } from '../settings.ts';
import type { DatabaseReader, DatabaseWriter, SnapshotSignals } from '../store-interfaces.ts';

const CHANNEL = 'floe_changed';
const VERSION_SETTING = 'snapshot_version';
/**
 * Poll interval. Two polls fit into the two seconds within which a revoked key must stop working everywhere.
 */
const POLL_MS = 900;
const MAX_STALENESS_MS = 2_000;
const RECONNECT_MS = 5_000;
const CONNECT_TIMEOUT_MS = 5_000;

export interface PostgresSnapshotSignalsOptions {
  readonly url: string;
  readonly read: DatabaseReader;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Notifies processes of snapshot changes through a version number in the database. Each change increases the
 * number in its own transaction, and NOTIFY reports the new number immediately. The number is also polled
 * every 900 ms, because notifications are lost while the listening connection is down.
 */
export class PostgresSnapshotSignals implements SnapshotSignals {
  readonly #options: PostgresSnapshotSignalsOptions;
  readonly #listeners: (() => void)[] = [];
  #seen: string | undefined;
  #client: pg.Client | null = null;
  #poll: Timer | null = null;
  #reconnect: Timer | null = null;
  #checking = false;
  /**
   * When the last successful poll started. Every change that was committed before this time has been seen.
   */
  #knownAt = Number.NEGATIVE_INFINITY;
  #isAnswered = true;
  #closed = false;

  constructor(options: PostgresSnapshotSignalsOptions) {
    this.#options = options;
  }

  /** Starts to listen. Changes after this call are reported. */
  async open(): Promise<void> {
    this.#knownAt = this.#options.clock.monotonic();
    this.#seen = await getSetting(this.#options.read, VERSION_SETTING);
    await this.#listen();
    this.#schedulePoll();
  }

  async announce(writer: DatabaseWriter): Promise<void> {
    await sql`insert into settings (name, value) values (${VERSION_SETTING}, '1')
      on conflict (name) do update set value = (settings.value::bigint + 1)::text`.execute(writer);
    await sql`select pg_notify(${CHANNEL}, '')`.execute(writer);
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
    this.#reconnect?.cancel();
    const client = this.#client;
    this.#client = null;
    await client?.end().catch(() => undefined);
  }

  async #listen(): Promise<void> {
    const { url, log } = this.#options;
    const client = new pg.Client({
      connectionString: url,
      application_name: 'floe listener',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
    });
    client.on('error', () => this.#onConnectionLost(client));
    client.on('end', () => this.#onConnectionLost(client));
    client.on('notification', () => this.#checkVersion());
    this.#client = client;
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
    } catch (error) {
      log.debug({ err: error }, 'database notifications are not available; changes are polled instead');
      this.#onConnectionLost(client);
    }
  }

  #onConnectionLost(client: pg.Client): void {
    if (this.#client !== client) return;
    this.#client = null;
    client.end().catch(() => undefined);
    if (this.#closed) return;
    this.#reconnect = this.#options.clock.after(RECONNECT_MS, () => void this.#listen());
  }

  #schedulePoll(): void {
    this.#poll = this.#options.clock.after(POLL_MS, () => {
      this.#checkVersion();
      if (!this.#closed) this.#schedulePoll();
    });
  }

  /** Polls the version, unless a poll is running. The next poll finds changes that occur during this one. */
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
          this.#options.log.debug({ err: error }, 'changes could not be polled');
        },
      )
      .finally(() => {
        this.#checking = false;
      });
  }
}
