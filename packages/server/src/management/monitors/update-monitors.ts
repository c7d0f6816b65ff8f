import { type BulkMonitorResult, bulkMonitorPatch, bulkMonitorResult } from '@floe/contract/api/monitors';
import { Fault } from '@floe/contract/faults';
import type * as z from 'zod';
import { parseStringListColumn } from '../../monitoring/monitoring-unit-of-work.ts';
import { isPauseOrMuteChange, requireMonitor, updateMonitor } from '../../monitoring/monitors.ts';
import type { MonitorRow } from '../../store/monitoring/monitors.ts';
import type { DatabaseWriter } from '../../store/store-interfaces.ts';
import type { SecondaryAuditedChange } from '../audited-change.ts';
import { defineWriteOperation, type Operation, type OperationContext } from '../operation.ts';
import { hasColumnValues } from '../resources/has-column-values.ts';
import { buildMonitorDefinition, requireFutureEndTimes, toMonitorConfig } from './monitor-definition.ts';
import { requireChangeableMonitor, requireChannelsExist } from './monitor-requirements.ts';
import { toMonitorAuditView } from './monitor-resource.ts';
import {
  createMonitorChangeContext,
  MONITORING_SCOPES,
  type MonitoringDependencies,
} from './monitoring-dependencies.ts';

type MonitorsPatch = z.output<typeof bulkMonitorPatch>;

/**
 * Defines the operation that applies one change to several monitors. The response lists the
 * monitors that could not be changed.
 */
export function defineUpdateMonitorsOperation(dependencies: MonitoringDependencies): Operation {
  return defineWriteOperation({
    name: 'monitors.update_many',
    method: 'PATCH',
    path: '/api/monitoring/monitors',
    scope: MONITORING_SCOPES,
    summary:
      'Pause, resume, mute or unmute several monitors, or change their tags or channels; the response lists the monitors that could not be changed',
    body: bulkMonitorPatch,
    answer: bulkMonitorResult,
    status: 200,
    invalidates: null,
    beforeTransaction: () => dependencies.engine.changeContext(),
    async run(context, { body }) {
      const { ids, ...patch } = body;
      if (Object.values(patch).every((value) => value === undefined))
        throw new Fault(
          'invalid_request',
          'The request must contain at least one setting in addition to ids.',
        );
      if (patch.channels) await requireChannelsExist(context.writer, context.orgId, patch.channels);
      const answer: { [Name in keyof BulkMonitorResult]: BulkMonitorResult[Name][number][] } = {
        changed: [],
        unchanged: [],
        failed: [],
      };
      const further: SecondaryAuditedChange[] = [];
      const findRow = isPauseOrMuteChange(patch) ? requireMonitor : requireChangeableMonitor;
      for (const id of new Set(ids)) {
        const row = await findRow(context.writer, context.orgId, id).catch(toExpectedFault);
        if (row instanceof Fault) {
          answer.failed.push({ id, code: row.code, message: row.message });
          continue;
        }
        const change = await changeMonitor(context, dependencies, row, patch);
        (change ? answer.changed : answer.unchanged).push(id);
        if (change) further.push(change);
      }
      return { answer, audit: 'unchanged', additionalChanges: further };
    },
  });
}

/** Changes one monitor and returns its audit entry. Null if nothing changed. */
async function changeMonitor(
  context: OperationContext & { readonly writer: DatabaseWriter },
  dependencies: MonitoringDependencies,
  row: MonitorRow,
  { add_tags: addedTags = [], remove_tags: removedTags = [], ...settings }: Omit<MonitorsPatch, 'ids'>,
): Promise<SecondaryAuditedChange | null> {
  const change = createMonitorChangeContext(context, dependencies);
  const tags = new Set([...parseStringListColumn(row.tags_json), ...addedTags]);
  for (const tag of removedTags) tags.delete(tag);
  const fields = addedTags.length + removedTags.length > 0 ? { ...settings, tags: [...tags] } : settings;
  requireFutureEndTimes(settings, row, change.nowMs);
  const current = toMonitorConfig(row, change.nowMs);
  const definition = buildMonitorDefinition(fields, current, dependencies.timezone(context.orgId));
  if (hasColumnValues(row, definition)) return null;
  const next = await updateMonitor(change, row, definition);
  return {
    action: 'monitors.update',
    subject: row.id,
    before: toMonitorAuditView(row),
    after: toMonitorAuditView(next),
  };
}

/**
 * Returns the fault of a monitor that does not exist or that floe.yaml defines. Rethrows other errors, which
 * end the whole change.
 */
function toExpectedFault(error: unknown): Fault {
  if (error instanceof Fault && (error.code === 'monitor_not_found' || error.code === 'managed_by_file'))
    return error;
  throw error;
}
