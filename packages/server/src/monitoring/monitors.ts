import { Fault } from '@floe/contract/faults';
import { lockClocksByUid } from '../store/monitoring/monitor-clocks.ts';
import {
  findMonitorById,
  getDefaultGraceMs,
  listMonitorsOfOrg,
  type MonitorRow,
  setDefaultGraceMs,
} from '../store/monitoring/monitors.ts';
import type { DatabaseWriter } from '../store/ports.ts';
import { type MonitorChangeContext, MonitorChanges } from './monitor-changes.ts';
import type { MonitorDefinition } from './monitor-definition.ts';

export type { MonitorChangeContext } from './monitor-changes.ts';

/**
 * Adds a monitor that waits for its first beat. The history of one that was removed under its id continues.
 *
 * @throws Fault `conflict` when the id is taken.
 */
export async function createMonitor(
  context: MonitorChangeContext,
  orgId: string,
  definition: MonitorDefinition,
): Promise<MonitorRow> {
  const removed = await findMonitorById(context.writer, orgId, definition.id);
  if (removed && removed.disabled_at !== null) return replaceMonitor(context, removed, definition);
  return applyChange(context, (changes) => changes.create(orgId, definition));
}

/** Replaces a monitor's definition, also of one that was removed; its history continues. */
export function replaceMonitor(
  context: MonitorChangeContext,
  row: MonitorRow,
  definition: MonitorDefinition,
): Promise<MonitorRow> {
  return applyChange(context, (changes) => changes.replace(row, definition));
}

/** Changes a monitor. Of one in floe.yaml, only what `isMonitorOperation` allows is changed, and the file keeps it. */
export function updateMonitor(
  context: MonitorChangeContext,
  row: MonitorRow,
  definition: MonitorDefinition,
): Promise<MonitorRow> {
  if (row.source !== 'file' || row.disabled_at !== null) return replaceMonitor(context, row, definition);
  const { paused, paused_until, muted_until } = definition;
  return applyChange(context, (changes) => changes.updateColumns(row, { paused, paused_until, muted_until }));
}

const MONITOR_OPERATIONS: ReadonlySet<string> = new Set(['paused', 'paused_until', 'muted_until']);

/** Whether a change only pauses, resumes or mutes: that is no configuration, so floe.yaml does not prevent it. */
export function isMonitorOperation(fields: unknown): boolean {
  if (typeof fields !== 'object' || fields === null) return false;
  return Object.entries(fields).every(([name, value]) => value === undefined || MONITOR_OPERATIONS.has(name));
}

/** Pauses now; `leaseUntilMs` null until somebody resumes it. Beats are recorded and do not end it. */
export function pauseMonitor(
  context: MonitorChangeContext,
  row: MonitorRow,
  untilMs: number | null,
): Promise<MonitorRow> {
  return applyChange(context, (changes) => changes.updateColumns(row, { paused: 1, paused_until: untilMs }));
}

/** Ends a pause with a fresh window. @throws Fault `conflict` when the monitor is not paused. */
export async function resumeMonitor(context: MonitorChangeContext, row: MonitorRow): Promise<MonitorRow> {
  const [clock] = await lockClocksByUid(context.writer, [row.uid]);
  if (clock && clock.status !== 'paused')
    throw new Fault('conflict', `The monitor "${row.id}" is not paused.`);
  return applyChange(context, (changes) => changes.updateColumns(row, { paused: 0, paused_until: null }));
}

/** Makes the old beat URL unknown and a new one good, at once. */
export function rotateBeatUrl(context: MonitorChangeContext, row: MonitorRow): Promise<MonitorRow> {
  return applyChange(context, (changes) =>
    changes.updateColumns(row, { token_version: row.token_version + 1 }),
  );
}

/** Removes a monitor; where somebody was told that it fails, this is over. Its history stays until retention removes it. */
export async function deleteMonitor(context: MonitorChangeContext, row: MonitorRow): Promise<void> {
  await applyChange(context, (changes) => changes.remove(row));
}

/** The org's grace; monitors that inherit it, and only those, go on with the new one. */
export async function setDefaultGrace(
  context: MonitorChangeContext,
  orgId: string,
  graceMs: number,
): Promise<void> {
  const { writer } = context;
  if ((await getDefaultGraceMs(writer, orgId)) === graceMs) return;
  await setDefaultGraceMs(writer, orgId, graceMs);
  const changes = new MonitorChanges(context);
  for (const row of await listMonitorsOfOrg(writer, orgId))
    if (row.grace_ms === null && row.disabled_at === null) changes.refreshClock(row);
  await changes.write();
}

/** @throws Fault `monitor_not_found`, also for one that was removed. */
export async function requireMonitor(writer: DatabaseWriter, orgId: string, id: string): Promise<MonitorRow> {
  const row = await findMonitorById(writer, orgId, id);
  if (row && row.disabled_at === null) return row;
  throw new Fault('monitor_not_found', `There is no monitor "${id.slice(0, 100)}" in this organization.`);
}

async function applyChange(
  context: MonitorChangeContext,
  change: (changes: MonitorChanges) => MonitorRow,
): Promise<MonitorRow> {
  const changes = new MonitorChanges(context);
  const row = change(changes);
  await changes.write();
  return row;
}
