import type { MonitorConfig } from '@floe/contract/config';
import { defineFileKind, type StoredResourceKind } from '../platform/file-sync.ts';
import { listAllMonitors, listMonitorsOfOrg, type MonitorRow } from '../store/monitoring/monitors.ts';
import { createMonitorRow, type MonitorChangeContext, MonitorChanges } from './monitor-changes.ts';
import { type MonitorDefinition, parseMonitorDefinition } from './monitor-definition.ts';

/** Monitors, in floe.yaml and stored. */
export const STORED_MONITOR_KIND: StoredResourceKind<MonitorConfig, MonitorRow> = {
  kind: 'monitors',
  list: ({ monitors }) => monitors,
  nameOf: ({ id }) => id,
  stored: (reader, orgId) =>
    orgId === undefined ? listAllMonitors(reader) : listMonitorsOfOrg(reader, orgId),
  storedName: ({ id }) => id,
  isRemoved: ({ disabled_at }) => disabled_at !== null,
};

/**
 * Monitors of floe.yaml. All of them are written together.
 *
 * @throws Fault `invalid_request` for a cron expression that cannot be read, when they are written
 */
export function monitorFileKind(context: Omit<MonitorChangeContext, 'actor' | 'source'>) {
  const changes = new MonitorChanges({ ...context, actor: 'file', source: { kind: 'file', line: null } });
  return defineFileKind({
    ...STORED_MONITOR_KIND,
    columns: ({ config, timezone }, before) => ({
      ...keepOperations(parseMonitorDefinition(config, timezone), before),
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

/** A pause or mute that was set, or ended, through the API stays until the file says something else of it. */
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

/** A monitor as the audit log keeps it. */
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
