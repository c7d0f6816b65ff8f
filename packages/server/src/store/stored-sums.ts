/**
 * The maximum of a stored sum. Larger sums are stored as this value, because an error would also affect the data of
 * other organizations in the same transaction. Two of these sums fit into a column of 64 bits. The largest limit of a
 * budget is a quarter of this amount in nano-USD, so a budget with this sum is used up.
 */
export const MAX_STORED_SUM = 4e18;

/** Returns the sum of two numbers, at most `MAX_STORED_SUM`. */
export function addStoredSums(one: number, other: number): number {
  return Math.min(MAX_STORED_SUM, one + other);
}

/**
 * Returns the SQL that adds a column of the row in an upsert to the stored row, for both engines.
 * @param table the name of the stored row in the statement
 */
export function buildStoredSumSql(table: string, column: string): string {
  const [stored, added] = [`${table}.${column}`, `excluded.${column}`];
  return `case when ${stored} > ${MAX_STORED_SUM} - ${added} then ${MAX_STORED_SUM} else ${stored} + ${added} end`;
}
