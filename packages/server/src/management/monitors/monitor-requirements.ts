import { Fault } from '@floe/contract/faults';
import { requireMonitor } from '../../monitoring/monitors.ts';
import { requireMonitorView } from '../../monitoring/read-monitors.ts';
import { findChannelByIdOrName } from '../../store/channels.ts';
import type { MonitorRow } from '../../store/monitoring/monitors.ts';
import type { DatabaseReader, DatabaseWriter } from '../../store/store-interfaces.ts';
import { requireNotManagedByFile } from '../managed-by-file.ts';
import type { OperationContext } from '../operation.ts';
import { toMonitorResource } from './monitor-resource.ts';
import type { MonitoringDependencies } from './monitoring-dependencies.ts';

/**
 * Returns a monitor that may be changed through the API.
 * @throws Fault `monitor_not_found`, `managed_by_file`
 */
export async function requireChangeableMonitor(
  writer: DatabaseWriter,
  orgId: string,
  id: string,
): Promise<MonitorRow> {
  const row = await requireMonitor(writer, orgId, id);
  requireMonitorNotManagedByFile(row);
  return row;
}

/**
 * Requires that floe.yaml does not define the monitor.
 * @throws Fault `managed_by_file`
 */
export function requireMonitorNotManagedByFile(row: MonitorRow): void {
  if (row.disabled_at === null) requireNotManagedByFile('monitor', row.id, row);
}

/**
 * Requires that the organization has these channels.
 * @param before the channels of the monitor before the change. They may have been deleted or renamed since.
 * @throws Fault `invalid_request` for a channel that the organization does not have
 */
export async function requireChannelsExist(
  reader: DatabaseReader,
  orgId: string,
  channels: readonly string[],
  before: readonly string[] = [],
): Promise<void> {
  for (const [index, name] of channels.entries()) {
    if (before.includes(name)) continue;
    const row = await findChannelByIdOrName(reader, orgId, name);
    if (row?.name !== name)
      throw new Fault(
        'invalid_request',
        `channels[${index}]: there is no channel with the name "${name}". To list the channels, send GET /api/monitoring/channels.`,
        {
          param: `channels[${index}]`,
        },
      );
  }
}

/**
 * Returns a monitor in the API format, within the transaction that changed it.
 * @throws Fault `monitor_not_found`
 */
export async function loadMonitorResource(
  { orgId, actor, writer }: OperationContext & { readonly writer: DatabaseWriter },
  id: string,
  dependencies: MonitoringDependencies,
) {
  return toMonitorResource(
    await requireMonitorView(writer, orgId, id, dependencies.engine.evaluationContext()),
    actor,
    dependencies,
  );
}
