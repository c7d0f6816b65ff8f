/** Number of new and existing rows of a table. */
export interface TableImportResult {
  readonly table: string;
  readonly added: number;
  readonly known: number;
}
