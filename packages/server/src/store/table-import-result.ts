/** Rows of a table that were new, and those that were there already. */
export interface TableImportResult {
  readonly table: string;
  readonly added: number;
  readonly known: number;
}
