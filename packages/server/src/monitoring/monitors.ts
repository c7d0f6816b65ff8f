import type { KeyObject } from 'node:crypto';
import { Fault } from '@floe/contract/faults';
import { newId } from '../core/ids.ts';
import {
  type ClockRow,
  insertClock,
  lockClock,
  removeClock,
  replaceClock,
} from '../store/monitoring/clocks.ts';
import {
  defaultGrace,
  insertMonitor,
  type MonitorRow,
  monitorById,
  updateMonitor,
} from '../store/monitoring/definitions.ts';
import type { Engine, Writer } from '../store/ports.ts';
import { beatToken, tokenHash } from './beat-token.ts';
import { Book } from './book.ts';
import { type Clock, type Gap, noOutcome, type Outcome, type Plan } from './clock.ts';
import { clockColumns, clockOfRow, planOfRow } from './clock-rows.ts';
import { DEFAULT_GRACE_MS, definitionColumns, type MonitorDefinition } from './definition.ts';
import { begin, pause, replan, unpause } from './state.ts';

/** What a change of monitors needs beside its own transaction. */
export interface Changing {
  readonly writer: Writer;
  readonly engine: Engine;
  /** Derives beat URLs: the pepper of the installation. */
  readonly secret: KeyObject;
  /** Database time of the change. */
  readonly nowMs: number;
  readonly gaps: readonly Gap[];
  /** Who does it: a key id, a member id or `file`. */
  readonly actor: string;
  readonly source: {
    readonly kind: 'file' | 'console';
    /** Name of the file. */
    readonly file?: string;
    readonly line: number | null;
  };
}

/** Adds a monitor that waits for its first beat. @throws Fault `conflict` when the id is taken. */
export async function createMonitor(
  changing: Changing,
  orgId: string,
  definition: MonitorDefinition,
): Promise<MonitorRow> {
  const { writer, nowMs, actor, source } = changing;
  const row: MonitorRow = {
    uid: newId('mon', nowMs),
    org_id: orgId,
    ...definitionColumns(definition),
    token_version: 1,
    disabled_at: null,
    source: source.kind,
    source_file: source.file ?? null,
    source_line: source.line,
    created_at: nowMs,
    updated_at: nowMs,
    updated_by: actor,
  };
  await insertMonitor(writer, row);
  await startClock(changing, row);
  return row;
}

/** Replaces a monitor's definition, and enables it if it was disabled; its history goes on. */
export async function replaceMonitor(
  changing: Changing,
  row: MonitorRow,
  definition: MonitorDefinition,
): Promise<MonitorRow> {
  const { writer, nowMs, actor, source } = changing;
  const next: MonitorRow = {
    ...row,
    ...definitionColumns(definition),
    id: row.id,
    disabled_at: null,
    source: source.kind,
    source_file: source.file ?? null,
    source_line: source.line,
    updated_at: nowMs,
    updated_by: actor,
  };
  const { uid, org_id: _org, id: _id, ...columns } = next;
  await updateMonitor(writer, uid, columns);
  if (row.disabled_at !== null) await startClock(changing, next);
  else await changeClock(changing, next);
  return next;
}

/** Pauses now; `untilMs` null until somebody resumes it. Beats are recorded and do not end it. */
export function pauseMonitor(
  changing: Changing,
  row: MonitorRow,
  untilMs: number | null,
): Promise<MonitorRow> {
  return setPause(changing, row, { paused: 1, paused_until: untilMs });
}

/** Ends a pause with a fresh window. @throws Fault `conflict` when the monitor is not paused. */
export async function resumeMonitor(changing: Changing, row: MonitorRow): Promise<MonitorRow> {
  const clock = await lockClock(changing.writer, changing.engine, row.uid);
  if (clock && clock.status !== 'paused')
    throw new Fault('conflict', `The monitor "${row.id}" is not paused.`);
  return setPause(changing, row, { paused: 0, paused_until: null });
}

/** Makes the old beat URL unknown and a new one good, at once. */
export async function rotateBeatUrl(changing: Changing, row: MonitorRow): Promise<MonitorRow> {
  const next = { ...row, token_version: row.token_version + 1, ...updated(changing) };
  await updateMonitor(changing.writer, row.uid, {
    token_version: next.token_version,
    ...updated(changing),
  });
  await changeClock(changing, next);
  return next;
}

/** Takes no beats and judges nothing from now on; the history stays. */
export async function disableMonitor(changing: Changing, row: MonitorRow): Promise<void> {
  const { writer, nowMs } = changing;
  await changeClock(changing, { ...row, paused: 1, paused_until: null });
  await removeClock(writer, row.uid);
  await updateMonitor(writer, row.uid, { disabled_at: nowMs, ...updated(changing) });
}

/** @throws Fault `monitor_not_found`, for disabled ones too. */
export async function mustFindMonitor(writer: Writer, orgId: string, id: string): Promise<MonitorRow> {
  const row = await monitorById(writer, orgId, id);
  if (row && row.disabled_at === null) return row;
  throw new Fault('monitor_not_found', `There is no monitor "${id.slice(0, 100)}" in this organization.`);
}

async function setPause(
  changing: Changing,
  row: MonitorRow,
  paused: Pick<MonitorRow, 'paused' | 'paused_until'>,
): Promise<MonitorRow> {
  const next = { ...row, ...paused, ...updated(changing) };
  await updateMonitor(changing.writer, row.uid, { ...paused, ...updated(changing) });
  await changeClock(changing, next);
  return next;
}

function updated({ nowMs, actor }: Changing) {
  return { updated_at: nowMs, updated_by: actor };
}

/** A pause that ended before now is none. */
function pauseOf(
  { paused, paused_until: until }: MonitorRow,
  nowMs: number,
): { until: number | null } | null {
  if (until !== null) return until > nowMs ? { until } : null;
  return paused === 1 ? { until: null } : null;
}

async function startClock(changing: Changing, row: MonitorRow): Promise<void> {
  const { writer, engine, nowMs } = changing;
  const plan = await planOfMonitor(writer, row);
  const out = noOutcome();
  const clock = begin(plan, nowMs, pauseOf(row, nowMs), out);
  await insertClock(writer, clockRow(changing, row, plan, clock));
  await writeDown(writer, engine, nowMs, row, clock, out);
}

/** Brings the clock of a monitor to its definition: what was missed until now is judged by the old one. */
export async function changeClock(changing: Changing, row: MonitorRow): Promise<void> {
  const { writer, engine, gaps, nowMs } = changing;
  const before = await lockClock(writer, engine, row.uid);
  if (!before) throw new Error(`monitor ${row.uid} has no clock`);
  const plan = await planOfMonitor(writer, row);
  const out = noOutcome();
  const at = Math.max(nowMs, before.settled_at);
  const replanned = replan(clockOfRow(before), planOfRow(before), plan, gaps, at, out);
  const wanted = pauseOf(row, at);
  const clock = wanted
    ? pause(replanned, plan, gaps, at, wanted.until, out)
    : unpause(replanned, plan, gaps, at, out);
  await replaceClock(writer, clockRow(changing, row, plan, clock));
  await writeDown(writer, engine, nowMs, row, clock, out);
}

async function writeDown(
  writer: Writer,
  engine: Engine,
  nowMs: number,
  row: MonitorRow,
  clock: Clock,
  out: Outcome,
): Promise<void> {
  const book = new Book(writer, engine, nowMs);
  book.record(row, clock.lastBeatAt, out);
  await book.write();
}

async function planOfMonitor(writer: Writer, row: MonitorRow): Promise<Plan> {
  const graceMs = row.grace_ms ?? (await defaultGrace(writer, row.org_id)) ?? DEFAULT_GRACE_MS;
  return planOfRow({ ...row, grace_ms: graceMs });
}

function clockRow({ secret }: Changing, row: MonitorRow, plan: Plan, clock: Clock): ClockRow {
  return {
    uid: row.uid,
    org_id: row.org_id,
    id: row.id,
    token_hash: tokenHash(beatToken(secret, row.uid, row.token_version)),
    interval_ms: row.interval_ms,
    cron: row.cron,
    timezone: row.timezone,
    grace_ms: plan.graceMs,
    first_beat_due_ms: row.first_beat_due_ms,
    alert_after_misses: row.alert_after_misses,
    fail_counts_as_miss: row.fail_counts_as_miss,
    ...clockColumns(clock),
  };
}
