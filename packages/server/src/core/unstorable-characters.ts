/** Text that every database holds: U+0000 and halves of surrogate pairs, which PostgreSQL does not, become U+FFFD. */
export function stripUnstorableCharacters(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\ufffd');
}

/** A row with such texts. A column keeps its type: text comes of text, and nothing else is touched. */
export function stripUnstorableRowText<Row extends object>(row: Row): Row {
  const columns = Object.entries(row).map(([column, value]) => [
    column,
    typeof value === 'string' ? stripUnstorableCharacters(value) : value,
  ]);
  return Object.fromEntries(columns) as Row;
}
