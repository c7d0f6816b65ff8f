import { type RawBuilder, sql } from 'kysely';

/** Returns the SQL for the sum of a column as a double, because a sum of stored sums may not fit into 64 bits. */
export function sumAsDouble(column: RawBuilder<unknown>): RawBuilder<number> {
  return sql<number>`sum(cast(${column} as double precision))`;
}
