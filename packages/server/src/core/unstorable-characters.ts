/**
 * Replaces the characters that a database cannot store with U+FFFD. PostgreSQL rejects U+0000 and lone
 * surrogates.
 */
export function replaceUnstorableCharacters(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\ufffd');
}

/**
 * Replaces unstorable characters in a row's text values with U+FFFD. Does not change other values,
 * so each column keeps its type.
 */
export function replaceUnstorableRowText<Row extends object>(row: Row): Row {
  const columns = Object.entries(row).map(([column, value]) => [
    column,
    typeof value === 'string' ? replaceUnstorableCharacters(value) : value,
  ]);
  return Object.fromEntries(columns) as Row;
}
