import type { Database, DatabaseWriter } from './store-interfaces.ts';
import type { TableImportResult } from './table-import-result.ts';

const ALERTS_PER_BATCH = 500;

/**
 * Copies alerts and their deliveries. The target assigns new numbers in the same order, because the
 * source's numbers may already be in use. The target installation sends the pending messages.
 */
export async function copyAlerts(source: Database, target: Database): Promise<TableImportResult[]> {
  const alerts = { table: 'alerts', added: 0, known: 0 };
  const deliveries = { table: 'alert_deliveries', added: 0, known: 0 };
  let after = 0;
  for (;;) {
    const { rows, sent, last } = await readAlertBatch(source, after);
    if (last === undefined) return [alerts, deliveries];
    after = last;
    await target.transaction(async (writer) => {
      let added = 0;
      for (const { seq: _, ...row } of rows) {
        const { numInsertedOrUpdatedRows = 0n } = await writer
          .insertInto('alerts')
          .values(row)
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirst();
        added += Number(numInsertedOrUpdatedRows);
      }
      addCounts(alerts, rows.length, added);
      addCounts(deliveries, sent.length, await insertImportedDeliveries(writer, sent));
    });
  }
}

function addCounts(counts: { added: number; known: number }, rows: number, added: number): void {
  counts.added += added;
  counts.known += rows - added;
}

async function readAlertBatch(source: Database, after: number) {
  const rows = await source.read
    .selectFrom('alerts')
    .selectAll()
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(ALERTS_PER_BATCH)
    .execute();
  const sent = await readDeliveries(
    source,
    rows.map(({ id }) => id),
  );
  return { rows, sent, last: rows.at(-1)?.seq };
}

async function readDeliveries(source: Database, alertIds: readonly string[]) {
  if (alertIds.length === 0) return [];
  return source.read
    .selectFrom('alert_deliveries')
    .selectAll()
    .where('alert_id', 'in', alertIds)
    .orderBy('seq')
    .execute();
}

/** Inserts deliveries with the alert numbers that the target assigned. */
async function insertImportedDeliveries(
  writer: DatabaseWriter,
  rows: Awaited<ReturnType<typeof readDeliveries>>,
): Promise<number> {
  const ids = [...new Set(rows.map(({ alert_id }) => alert_id))];
  if (ids.length === 0) return 0;
  const alerts = await writer.selectFrom('alerts').select(['id', 'seq']).where('id', 'in', ids).execute();
  const numbers = new Map(alerts.map(({ id, seq }) => [id, seq]));
  let added = 0;
  for (const { seq: _, ...row } of rows) {
    const { numInsertedOrUpdatedRows = 0n } = await writer
      .insertInto('alert_deliveries')
      .values({ ...row, alert_seq: numbers.get(row.alert_id) ?? row.alert_seq })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst();
    added += Number(numInsertedOrUpdatedRows);
  }
  return added;
}
