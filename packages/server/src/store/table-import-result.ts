/** The number of imported rows in a table. */
export interface TableImportResult {
  readonly table: string;
  readonly rows: number;
}
