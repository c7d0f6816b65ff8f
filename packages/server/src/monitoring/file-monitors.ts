import type { MonitorConfig } from '@floe/contract/config';
import { fileKind, type StoredListKind } from '../platform/file-sync.ts';
import { allMonitors, type MonitorRow, monitorsOfOrg } from '../store/monitoring/definitions.ts';
import { definitionOf } from './definition.ts';
import { type Changing, MonitorChanges, newMonitor } from './monitor-changes.ts';

/** Monitors, in floe.yaml and stored. */
export const MONITORS: StoredListKind<MonitorConfig, MonitorRow> = {
  kind: 'monitors',
  list: ({ monitors }) => monitors,
  nameOf: ({ id }) => id,
  stored: (reader, orgId) => (orgId === undefined ? allMonitors(reader) : monitorsOfOrg(reader, orgId)),
  storedName: ({ id }) => id,
  isRemoved: ({ disabled_at }) => disabled_at !== null,
};

/**
 * Monitors of floe.yaml. All of them are written together.
 *
 * @throws Fault `invalid_request` for a cron expression that cannot be read, when they are written
 */
export function fileMonitors(changing: Omit<Changing, 'actor' | 'source'>) {
  const changes = new MonitorChanges({ ...changing, actor: 'file', source: { kind: 'file', line: null } });
  return fileKind({
    ...MONITORS,
    columns: ({ config, timezone }) => ({ ...definitionOf(config, timezone), disabled_at: null }),
    row: newMonitor,
    insert: (_, row) => changes.add(row),
    update: (_, row, { updated_at }, next) =>
      updated_at === undefined ? changes.move(next) : changes.put(row, next),
    remove: (_, row) => changes.remove(row),
    flush: () => changes.write(),
    shown,
  });
}

/** A monitor as the audit log keeps it. */
function shown(row: MonitorRow) {
  const { uid: _uid, org_id: _org, source_file: _file, source_line: _line, ...rest } = row;
  return rest;
}
