import { Fault } from '@floe/contract/faults';
import { lockMonitorStatesByUid } from '../store/monitoring/monitor-states.ts';
import type { MonitorStateRow } from '../store/monitoring/monitoring-rows.ts';
import {
  findMonitorById,
  getDefaultGraceMs,
  listMonitorsOfOrg,
  type MonitorRow,
  setDefaultGraceMs,
} from '../store/monitoring/monitors.ts';
import { requireRewindCount } from '../store/monitoring/rewind-count.ts';
import type { DatabaseWriter } from '../store/store-interfaces.ts';
import { type MonitorChangeContext, MonitorChanges } from './monitor-changes.ts';
import type { MonitorDefinition } from './monitor-definition.ts';

export type { MonitorChangeContext } from './monitor-changes.ts';

/**
 * Creates a monitor that waits for its first beat. If a monitor with this id was deleted earlier, the new
 * monitor continues its history.
 * @throws Fault `conflict` if the id is already in use
 */
export async function createMonitor(
  context: MonitorChangeContext,
  orgId: string,
  definition: MonitorDefinition,
): Promise<{ readonly row: MonitorRow; readonly state: MonitorStateRow }> {
  const removed = await findMonitorById(context.writer, orgId, definition.id);
  const changes = new MonitorChanges(context);
  const row =
    removed && removed.disabled_at !== null
      ? changes.replace(removed, definition)
      : changes.create(orgId, definition);
  const state = (await changes.write()).get(row.uid);
  if (!state) throw new Error(`the new monitor ${row.uid} has no state`);
  return { row, state };
}

/** Replaces a monitor's definition. A removed monitor is restored with its history. */
export function replaceMonitor(
  context: MonitorChangeContext,
  row: MonitorRow,
  definition: MonitorDefinition,
): Promise<MonitorRow> {
  return applyChange(context, (changes) => changes.replace(row, definition));
}

/**
 * Updates a monitor. If floe.yaml defines the monitor, changes only its pause and mute, and ignores all other
 * fields of `definition`.
 */
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

/**
 * Returns whether a change only pauses, resumes or mutes a monitor. Such a change is allowed for
 * monitors that floe.yaml defines.
 */
export function isPauseOrMuteChange(fields: unknown): boolean {
  if (typeof fields !== 'object' || fields === null) return false;
  return Object.entries(fields).every(([name, value]) => value === undefined || MONITOR_OPERATIONS.has(name));
}

/**
 * Pauses a monitor until the given time. If the time is null, pauses it until it is resumed. Beats during the
 * pause are recorded and do not end it.
 */
export function pauseMonitor(
  context: MonitorChangeContext,
  row: MonitorRow,
  untilMs: number | null,
): Promise<MonitorRow> {
  return applyChange(context, (changes) => changes.updateColumns(row, { paused: 1, paused_until: untilMs }));
}

/**
 * Ends a monitor's pause. The monitor then waits for its next beat.
 * @throws Fault `conflict` if the monitor is not paused; `overloaded` if the clock was set back in the meantime
 */
export async function resumeMonitor(context: MonitorChangeContext, row: MonitorRow): Promise<MonitorRow> {
  await requireRewindCount(context.writer, context.rewindCount);
  const [state] = await lockMonitorStatesByUid(context.writer, [row.uid]);
  if (state && state.status !== 'paused')
    throw new Fault(
      'conflict',
      `The monitor "${row.id}" is not paused. Only a paused monitor can be resumed.`,
    );
  return applyChange(context, (changes) => changes.updateColumns(row, { paused: 0, paused_until: null }));
}

/** Replaces the beat URL. The old URL stops working immediately. */
export function rotateBeatUrl(context: MonitorChangeContext, row: MonitorRow): Promise<MonitorRow> {
  return applyChange(context, (changes) =>
    changes.updateColumns(row, { token_version: row.token_version + 1 }),
  );
}

/**
 * Removes a monitor. If a failure alert was sent, also sends a recovery alert. Retention deletes
 * the monitor's history later.
 */
export async function deleteMonitor(context: MonitorChangeContext, row: MonitorRow): Promise<void> {
  await applyChange(context, (changes) => changes.remove(row));
}

/**
 * Changes an organization's default grace period, and the state of the monitors that use the
 * default.
 */
export async function applyDefaultGracePeriod(
  context: MonitorChangeContext,
  orgId: string,
  graceMs: number,
): Promise<void> {
  const { writer } = context;
  if ((await getDefaultGraceMs(writer, orgId)) === graceMs) return;
  await setDefaultGraceMs(writer, orgId, graceMs);
  const changes = new MonitorChanges(context);
  for (const row of await listMonitorsOfOrg(writer, orgId))
    if (row.grace_ms === null && row.disabled_at === null) changes.refreshState(row);
  await changes.write();
}

/**
 * Returns the monitor with this id.
 * @throws Fault `monitor_not_found`, also for a removed monitor
 */
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
