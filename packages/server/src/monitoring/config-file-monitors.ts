import type { MonitorConfig } from '@floe/contract/config';
import {
  defineConfigFileResourceKind,
  type StoredResourceKind,
} from '../platform/config-file-resource-kind.ts';
import { listAllMonitors, type MonitorRow } from '../store/monitoring/monitors.ts';
import { createMonitorRow, type MonitorChangeContext, MonitorChanges } from './monitor-changes.ts';
import { type MonitorDefinition, toMonitorDefinition } from './monitor-definition.ts';

/** The resource kind of monitors, both from floe.yaml and created with the API. */
export const STORED_MONITOR_RESOURCE_KIND: StoredResourceKind<MonitorConfig, MonitorRow> = {
  kind: 'monitors',
  list: ({ monitors }) => monitors,
  nameOf: ({ id }) => id,
  stored: listAllMonitors,
  storedName: ({ id }) => id,
  isRemoved: ({ disabled_at }) => disabled_at !== null,
};

/**
 * Returns the resource kind of monitors in floe.yaml. All monitors are written together.
 *
 * @throws Fault `invalid_request` for an invalid cron expression, when the monitors are written
 */
export function createConfigFileMonitorResourceKind(context: Omit<MonitorChangeContext, 'actor' | 'source'>) {
  const changes = new MonitorChanges({ ...context, actor: 'file', source: { kind: 'file', line: null } });
  return defineConfigFileResourceKind({
    ...STORED_MONITOR_RESOURCE_KIND,
    columns: ({ config, timezone }, before) => ({
      ...keepOperations(toMonitorDefinition(config, timezone), before),
      disabled_at: null,
    }),
    row: createMonitorRow,
    insert: (_, row) => changes.add(row),
    update: (_, row, { updated_at }, next) =>
      updated_at === undefined ? changes.updateSource(next) : changes.replaceRow(row, next),
    remove: (_, row) => changes.remove(row),
    flush: () => changes.write(),
    auditView: monitorAuditView,
  });
}

/**
 * Keeps a pause or mute that was started or ended with the API, unless floe.yaml has changed its own value.
 */
function keepOperations(definition: MonitorDefinition, before: MonitorRow | undefined) {
  const { paused, paused_until, muted_until } = definition;
  const file_state = JSON.stringify({ paused, paused_until, muted_until });
  const isUnchanged =
    before?.source === 'file' && before.disabled_at === null && before.file_state === file_state;
  if (!isUnchanged) return { ...definition, file_state };
  return {
    ...definition,
    paused: before.paused,
    paused_until: before.paused_until,
    muted_until: before.muted_until,
    file_state,
  };
}

/** Converts a monitor row to the form that the audit log stores. */
function monitorAuditView(row: MonitorRow) {
  const {
    uid: _uid,
    org_id: _org,
    file_state: _state,
    source_file: _file,
    source_line: _line,
    ...rest
  } = row;
  return rest;
}
