import { runAllSteps } from '../deletion-batches.ts';
import type { PostgresConnection } from './postgres-pool.ts';

export const DAY_MS = 86_400_000;

/** Tables with one partition per day of `created_at`. */
const PARTITIONED = ['exchanges', 'exchange_metadata'] as const;

/** Lock number for creating and dropping partitions, in all processes. The number is arbitrary. */
const PARTITION_LOCK = 7_310_564_002;

/**
 * Maximum wait for readers when a partition is dropped. It is short, because later readers wait behind the
 * statement.
 */
const DROP_LOCK_TIMEOUT = '2s';

/** Returns the name of a partition for a day (UTC), such as `exchanges_d20261121`. */
function partitionName(table: string, day: number): string {
  return `${table}_d${new Date(day).toISOString().slice(0, 10).replaceAll('-', '')}`;
}

function startOfDay(ms: number): number {
  return Math.floor(ms / DAY_MS) * DAY_MS;
}

/**
 * Creates the day partitions that rows need before the rows are inserted, and the next day's
 * partition in advance.
 */
export class DayPartitions {
  readonly #known = new Set<number>();

  /**
   * Creates the partitions for rows with these times.
   * @throws Fault if the database is unavailable. In this case, no partition is recorded as existing.
   */
  async ensure(connection: PostgresConnection, times: readonly number[]): Promise<void> {
    const days = new Set(times.map(startOfDay));
    if (days.size > 0) days.add(Math.max(...days) + DAY_MS);
    for (const day of [...days].sort((one, other) => one - other)) {
      if (this.#known.has(day)) continue;
      await runPostgresTransaction(connection, async () => {
        await connection.query('select pg_advisory_xact_lock($1)', [PARTITION_LOCK]);
        for (const table of PARTITIONED) await createPartition(connection, table, day);
      });
      this.#known.add(day);
    }
  }

  /** Discards the recorded partitions, so that the next `ensure` checks the database again. */
  invalidate(): void {
    this.#known.clear();
  }

  /**
   * Drops partitions that ended before `beforeMs`, even if others cannot be dropped. Returns whether there were any.
   * @throws as `runAllSteps` does
   */
  async drop(connection: PostgresConnection, beforeMs: number): Promise<boolean> {
    const names: string[] = [];
    for (const table of PARTITIONED) names.push(...(await listPartitions(connection, table)));
    const ended = names.filter((name) => partitionEnd(name) <= beforeMs);
    await runAllSteps(ended.map((name) => () => this.#dropPartition(connection, name)));
    return ended.length > 0;
  }

  async #dropPartition(connection: PostgresConnection, name: string): Promise<void> {
    await runPostgresTransaction(connection, async () => {
      await connection.query(`set local lock_timeout = '${DROP_LOCK_TIMEOUT}'`, []);
      await connection.query('select pg_advisory_xact_lock($1)', [PARTITION_LOCK]);
      await connection.query(`drop table if exists ${name}`, []);
    });
    this.#known.delete(partitionEnd(name) - DAY_MS);
  }
}

/**
 * Creates a partition as a separate table and then attaches it, which does not block readers and writers of
 * other days.
 */
async function createPartition(connection: PostgresConnection, table: string, day: number): Promise<void> {
  const name = partitionName(table, day);
  const { rows } = await connection.query<{ found: string | null }>('select to_regclass($1)::text as found', [
    name,
  ]);
  if (rows[0]?.found != null) return;
  await connection.query(`create table ${name} (like ${table} including all)`, []);
  await connection.query(
    `alter table ${table} attach partition ${name} for values from (${day}) to (${day + DAY_MS})`,
    [],
  );
}

async function listPartitions(connection: PostgresConnection, table: string): Promise<string[]> {
  const { rows } = await connection.query<{ name: string }>(
    `select inhrelid::regclass::text as name from pg_inherits where inhparent = $1::regclass order by 1`,
    [table],
  );
  return rows.map(({ name }) => name);
}

/** Returns when the day of a partition ends. Returns infinity for a table that is not a partition of Floe. */
function partitionEnd(name: string): number {
  const [, year, month, day] = /_d(\d{4})(\d\d)(\d\d)$/.exec(name) ?? [];
  if (day === undefined) return Number.POSITIVE_INFINITY;
  return Date.UTC(Number(year), Number(month) - 1, Number(day)) + DAY_MS;
}

/** Runs `work` in a transaction. Rolls the transaction back if `work` rejects. */
export async function runPostgresTransaction<T>(
  connection: PostgresConnection,
  work: () => Promise<T>,
): Promise<T> {
  await connection.query('begin', []);
  try {
    const result = await work();
    await connection.query('commit', []);
    return result;
  } catch (error) {
    // If the connection is lost, so is the transaction.
    await connection.query('rollback', []).catch(() => undefined);
    throw error;
  }
}
