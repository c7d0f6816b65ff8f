import { Fault } from '@floe/contract/faults';
import type { Clock } from '../../core/clock.ts';
import { describePostgresWriteFailure } from './postgres-errors.ts';
import type { PostgresPool } from './postgres-pool.ts';

/** How long a failed write counts. If writes continue to fail, they fail again within this time. */
const FAILURE_MS = 10_000;

/**
 * Remembers the last write that failed because the server could not store anything. Later successful writes do not
 * clear it.
 */
export class PostgresWriteFailures {
  readonly #clock: Pick<Clock, 'monotonic'>;
  #last: { readonly reason: string; readonly at: number } | null = null;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** Returns the result of a write, and records its failure. */
  async observe<T>(write: Promise<T>): Promise<T> {
    try {
      return await write;
    } catch (error) {
      const reason = describePostgresWriteFailure(error);
      if (reason !== null) this.#last = { reason, at: this.#clock.monotonic() };
      throw error;
    }
  }

  /** @throws Fault `overloaded` with the reason if a write has failed recently */
  requireNone(): void {
    if (this.#last === null || this.#clock.monotonic() - this.#last.at >= FAILURE_MS) return;
    throw new Fault(
      'overloaded',
      `A write failed in the last ${FAILURE_MS / 1_000} seconds: ${this.#last.reason}`,
    );
  }
}

/**
 * Requires that the server responds and is not read-only. Writes nothing.
 * @throws Fault `overloaded` with the reason
 */
export async function requireWritable(pool: PostgresPool): Promise<void> {
  const connection = await pool.connect();
  let reason: string | null = null;
  try {
    const { rows } = await connection.query<WriteAccess>(WRITE_ACCESS, []);
    if (rows[0]?.is_standby)
      reason =
        'The database is a standby server, which accepts only reads. Connect Floe to the primary server.';
    else if (rows[0]?.is_read_only)
      reason =
        'The database is read-only. Check that the PostgreSQL setting default_transaction_read_only is off, and that Floe connects to the primary server.';
  } finally {
    // A new connection may lead to another server, for example after a failover.
    connection.release(reason !== null);
  }
  if (reason !== null) throw new Fault('overloaded', reason);
}

interface WriteAccess {
  readonly is_standby: boolean;
  readonly is_read_only: boolean;
}

const WRITE_ACCESS = `select pg_is_in_recovery() as is_standby, current_setting('transaction_read_only') = 'on' as is_read_only`;
