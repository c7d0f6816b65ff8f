/** Returns whether a row already has these column values. */
export function hasColumnValues(row: object, columns: object): boolean {
  const stored: Readonly<Record<string, unknown>> = { ...row };
  return Object.entries(columns).every(([column, value]) => stored[column] === value);
}
