import { sql } from 'kysely';
import pg from 'pg';
import type { Timer } from '../../core/clock.ts';
import { PolledSnapshotSignals, type PolledSnapshotSignalsOptions } from '../polled-snapshot-signals.ts';
import type { DatabaseWriter } from '../store-interfaces.ts';

const CHANNEL = 'floe_changed';
const RECONNECT_MS = 5_000;
const CONNECT_TIMEOUT_MS = 5_000;

export interface PostgresSnapshotSignalsOptions extends PolledSnapshotSignalsOptions {
  readonly url: string;
}

/**
 * Notifies processes of snapshot changes with NOTIFY. The version number is also polled, because notifications are
 * lost while the listening connection is down.
 */
export class PostgresSnapshotSignals extends PolledSnapshotSignals {
  readonly #options: PostgresSnapshotSignalsOptions;
  #client: pg.Client | null = null;
  #reconnect: Timer | null = null;
  #closed = false;

  constructor(options: PostgresSnapshotSignalsOptions) {
    super(options);
    this.#options = options;
  }

  override async open(): Promise<void> {
    await super.open();
    await this.#listen();
  }

  override async announce(writer: DatabaseWriter): Promise<void> {
    await super.announce(writer);
    await sql`select pg_notify(${CHANNEL}, '')`.execute(writer);
  }

  override async close(): Promise<void> {
    await super.close();
    this.#closed = true;
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
    client.on('notification', () => this.checkVersion());
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
}
