import { Fault } from '@floe/contract/faults';
import { type MaintenanceRow, windowById } from '../../store/monitoring/maintenance.ts';
import type { Reader } from '../../store/ports.ts';

/** @throws Fault `not_found`, also for another org's window */
export async function existingWindow(reader: Reader, orgId: string, id: string): Promise<MaintenanceRow> {
  const row = await windowById(reader, orgId, id);
  if (!row) throw new Fault('not_found', 'No maintenance window has this id.');
  return row;
}
