import type { Insertable, Selectable } from 'kysely';
import type { AlertsTable } from './alert-tables.ts';
import type { Writer } from './ports.ts';

export type AlertRow = Selectable<AlertsTable>;
export type NewAlertRow = Insertable<AlertsTable>;

/** PostgreSQL takes 65,535 parameters per statement, SQLite 32,766. */
const ROWS_PER_STATEMENT = 1_000;

/** Adds alerts to the outbox; those whose idempotency key the org used before change nothing. */
export async function insertAlerts(writer: Writer, rows: readonly NewAlertRow[]): Promise<void> {
  for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT)
    await writer
      .insertInto('alerts')
      .values(rows.slice(at, at + ROWS_PER_STATEMENT))
      .onConflict((conflict) => conflict.columns(['org_id', 'idempotency_key']).doNothing())
      .execute();
}
