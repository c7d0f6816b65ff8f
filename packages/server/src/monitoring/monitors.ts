import { Fault } from '@floe/contract/faults';
import { lockClocks } from '../store/monitoring/clocks.ts';
import {
  defaultGrace,
  type MonitorRow,
  monitorById,
  monitorsOfOrg,
  putDefaultGrace,
} from '../store/monitoring/definitions.ts';
import type { Writer } from '../store/ports.ts';
import type { MonitorDefinition } from './definition.ts';
import { type Changing, MonitorChanges } from './monitor-changes.ts';

export type { Changing } from './monitor-changes.ts';

/**
 * Adds a monitor that waits for its first beat. The history of one that was removed under its id continues.
 *
 * @throws Fault `conflict` when the id is taken.
 */
export async function createMonitor(
  changing: Changing,
  orgId: string,
  definition: MonitorDefinition,
): Promise<MonitorRow> {
  const removed = await monitorById(changing.writer, orgId, definition.id);
  if (removed && removed.disabled_at !== null) return replaceMonitor(changing, removed, definition);
  return one(changing, (changes) => changes.create(orgId, definition));
}

/** Replaces a monitor's definition, also of one that was removed; its history continues. */
export function replaceMonitor(
  changing: Changing,
  row: MonitorRow,
  definition: MonitorDefinition,
): Promise<MonitorRow> {
  return one(changing, (changes) => changes.replace(row, definition));
}

/** Pauses now; `untilMs` null until somebody resumes it. Beats are recorded and do not end it. */
export function pauseMonitor(
  changing: Changing,
  row: MonitorRow,
  untilMs: number | null,
): Promise<MonitorRow> {
  return one(changing, (changes) => changes.set(row, { paused: 1, paused_until: untilMs }));
}

/** Ends a pause with a fresh window. @throws Fault `conflict` when the monitor is not paused. */
export async function resumeMonitor(changing: Changing, row: MonitorRow): Promise<MonitorRow> {
  const [clock] = await lockClocks(changing.writer, [row.uid]);
  if (clock && clock.status !== 'paused')
    throw new Fault('conflict', `The monitor "${row.id}" is not paused.`);
  return one(changing, (changes) => changes.set(row, { paused: 0, paused_until: null }));
}

/** Makes the old beat URL unknown and a new one good, at once. */
export function rotateBeatUrl(changing: Changing, row: MonitorRow): Promise<MonitorRow> {
  return one(changing, (changes) => changes.set(row, { token_version: row.token_version + 1 }));
}

/** Removes a monitor; where somebody was told that it fails, this is over. Its history stays until retention removes it. */
export async function deleteMonitor(changing: Changing, row: MonitorRow): Promise<void> {
  await one(changing, (changes) => changes.remove(row));
}

/** The org's grace; monitors that inherit it, and only those, go on with the new one. */
export async function setDefaultGrace(changing: Changing, orgId: string, graceMs: number): Promise<void> {
  const { writer } = changing;
  if ((await defaultGrace(writer, orgId)) === graceMs) return;
  await putDefaultGrace(writer, orgId, graceMs);
  const changes = new MonitorChanges(changing);
  for (const row of await monitorsOfOrg(writer, orgId))
    if (row.grace_ms === null && row.disabled_at === null) changes.follow(row);
  await changes.write();
}

/** @throws Fault `monitor_not_found`, also for one that was removed. */
export async function mustFindMonitor(writer: Writer, orgId: string, id: string): Promise<MonitorRow> {
  const row = await monitorById(writer, orgId, id);
  if (row && row.disabled_at === null) return row;
  throw new Fault('monitor_not_found', `There is no monitor "${id.slice(0, 100)}" in this organization.`);
}

async function one(changing: Changing, change: (changes: MonitorChanges) => MonitorRow): Promise<MonitorRow> {
  const changes = new MonitorChanges(changing);
  const row = change(changes);
  await changes.write();
  return row;
}
