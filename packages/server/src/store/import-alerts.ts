import type { Database, DatabaseWriter } from './store-interfaces.ts';
import type { TableImportResult } from './table-import-result.ts';

const ALERTS_PER_BATCH = 500;

/**
 * Copies alerts and their deliveries. The target assigns new numbers in the same order. The target installation
 * sends the pending messages.
 */
export async function copyAlerts(source: Database, target: Database): Promise<TableImportResult[]> {
  let [alerts, deliveries, after] = [0, 0, 0];
  for (;;) {
    const { rows, sent, last } = await readAlertBatch(source, after);
    if (last === undefined)
      return [
        { table: 'alerts', rows: alerts },
        { table: 'alert_deliveries', rows: deliveries },
      ];
    after = last;
    await target.transaction(async (writer) => {
      for (const { seq: _, ...row } of rows) await writer.insertInto('alerts').values(row).execute();
      await insertImportedDeliveries(writer, sent);
    });
    alerts += rows.length;
    deliveries += sent.length;
  }
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
): Promise<void> {
  const ids = [...new Set(rows.map(({ alert_id }) => alert_id))];
  if (ids.length === 0) return;
  const alerts = await writer.selectFrom('alerts').select(['id', 'seq']).where('id', 'in', ids).execute();
  const numbers = new Map(alerts.map(({ id, seq }) => [id, seq]));
  for (const { seq: _, ...row } of rows)
    await writer
      .insertInto('alert_deliveries')
      .values({ ...row, alert_seq: numbers.get(row.alert_id) ?? row.alert_seq })
      .execute();
}
