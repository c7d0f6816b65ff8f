/** The number of imported rows and of already existing rows in a table. */
export interface TableImportResult {
  readonly table: string;
  readonly added: number;
  readonly known: number;
}
