/** What the import did with a field of the source. */
export type FieldImportOutcome = 'imported' | 'changed' | 'not_imported';

/**
 * What the import did with one field of the source. The note states how the field was changed or why it was
 * not imported. It contains no value of the source.
 */
export interface ImportReportLine {
  readonly group: string;
  readonly field: string;
  readonly outcome: FieldImportOutcome;
  readonly note: string;
}

const OUTCOME_WORDS: Readonly<Record<FieldImportOutcome, string>> = {
  imported: 'imported',
  changed: 'changed',
  not_imported: 'not imported',
};

/** Collects one line for each field of the source, in the order in which the fields were read. */
export class ImportReport {
  readonly #lines = new Map<string, ImportReportLine>();

  /** Records a line. It replaces an earlier line of the same field. */
  record(line: ImportReportLine): void {
    this.#lines.set(line.field, line);
  }

  has(field: string): boolean {
    return this.#lines.has(field);
  }

  lines(): readonly ImportReportLine[] {
    return [...this.#lines.values()];
  }

  counts(): Readonly<Record<FieldImportOutcome, number>> {
    const counts = { imported: 0, changed: 0, not_imported: 0 };
    for (const { outcome } of this.#lines.values()) counts[outcome] += 1;
    return counts;
  }

  format(): string {
    const groups = Map.groupBy(this.lines(), ({ group }) => group);
    const blocks = [...groups].map(([group, lines]) => {
      const rows = lines.map(({ field, outcome, note }) => {
        const why = note === '' ? '' : ` (${note})`;
        return `  ${field}: ${OUTCOME_WORDS[outcome]}${why}`;
      });
      return `${group}\n${rows.join('\n')}`;
    });
    const { imported, changed, not_imported } = this.counts();
    return `${blocks.join('\n\n')}\n\n${imported} imported, ${changed} changed, ${not_imported} not imported.\n`;
  }
}
