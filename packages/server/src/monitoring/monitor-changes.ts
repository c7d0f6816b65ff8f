import type { KeyObject } from 'node:crypto';
import { newId } from '../core/ids.ts';
import type { MonitorClockRow } from '../store/monitoring/monitor-clock-rows.ts';
import {
  deleteMonitorClocks,
  lockMonitorClocksByUid,
  upsertMonitorClocks,
} from '../store/monitoring/monitor-clocks.ts';
import { getDefaultGraceMs, type MonitorRow, upsertMonitors } from '../store/monitoring/monitors.ts';
import type { DatabaseWriter } from '../store/ports.ts';
import { deriveBeatToken, hashBeatToken } from './beat-token.ts';
import { evaluateClockUntil } from './evaluate-clock-until.ts';
import {
  type AvailabilityGap,
  type ClockEvaluation,
  createClockEvaluation,
  type MonitorClock,
  type MonitorPlan,
} from './monitor-clock.ts';
import { parseMonitorClock, parseMonitorPlan, toMonitorClockColumns } from './monitor-clock-columns.ts';
import {
  changeMonitorPlan,
  createMonitorClock,
  endMonitorClock,
  pauseMonitorClock,
  resumeMonitorClock,
} from './monitor-clock-events.ts';
import { DEFAULT_GRACE_MS, type MonitorDefinition } from './monitor-definition.ts';
import { MonitoringUnitOfWork } from './monitoring-unit-of-work.ts';

/** What is needed to change monitors, other than the transaction. */
export interface MonitorChangeContext {
  readonly writer: DatabaseWriter;
  /** Derives the beat URLs. The pepper of the installation. */
  readonly secret: KeyObject;
  /** Time of the change, in database time. */
  readonly nowMs: number;
  /**
   * All beats before this time are committed, so that beats which were due and did not arrive were missed.
   */
  readonly committedUntil: number;
  readonly gaps: readonly AvailabilityGap[];
  /** A key id, a member id or `file`. */
  readonly actor: string;
  readonly source: {
    readonly kind: 'file' | 'console';
    /** Name of floe.yaml. */
    readonly file?: string;
    readonly line: number | null;
  };
}

/** The new, changed or removed clock of a monitor. */
interface ClockChange {
  readonly kind: 'begin' | 'follow' | 'end';
  readonly row: MonitorRow;
}

const CLOCK_CHANGES_PER_TURN = 500;

/**
 * Collects changes to monitors and writes them together, with one statement per table. Before a
 * monitor is changed, its state is evaluated with the old definition up to the time of the change.
 */
export class MonitorChanges {
  readonly #context: MonitorChangeContext;
  readonly #rows = new Map<string, MonitorRow>();
  readonly #clockChanges: ClockChange[] = [];

  constructor(context: MonitorChangeContext) {
    this.#context = context;
  }

  create(orgId: string, definition: MonitorDefinition): MonitorRow {
    const { nowMs, actor } = this.#context;
    const columns = { ...definition, ...this.#sourceColumns(), disabled_at: null };
    const stamps = { created_at: nowMs, updated_at: nowMs, updated_by: actor };
    return this.add(createMonitorRow({ org_id: orgId, ...columns, ...stamps }));
  }

  /** Adds a monitor that waits for its first beat. */
  add(row: MonitorRow): MonitorRow {
    return this.#addClockChange('begin', row);
  }

  /** Replaces the definition of a monitor. A removed monitor is restored with its history. */
  replace(row: MonitorRow, definition: MonitorDefinition): MonitorRow {
    const columns = { ...definition, id: row.id, ...this.#sourceColumns() };
    return this.replaceRow(row, { ...row, ...columns, disabled_at: null, ...this.#updateStamps(row) });
  }

  /** Replaces a row. */
  replaceRow(before: MonitorRow, next: MonitorRow): MonitorRow {
    return this.#addClockChange(before.disabled_at === null ? 'follow' : 'begin', next);
  }

  /** Changes columns of a definition. */
  updateColumns(
    row: MonitorRow,
    change: Partial<Pick<MonitorRow, 'paused' | 'paused_until' | 'muted_until' | 'token_version'>>,
  ): MonitorRow {
    return this.#addClockChange('follow', { ...row, ...change, ...this.#updateStamps(row) });
  }

  /** Updates the position in the file. This is not a change of the monitor. */
  updateSource(next: MonitorRow): void {
    this.#rows.set(next.uid, next);
  }

  /** Updates the clock because an inherited setting has changed. */
  refreshClock(row: MonitorRow): void {
    this.#clockChanges.push({ kind: 'follow', row });
  }

  /**
   * Removes a monitor. It accepts no beats and is not evaluated. Retention removes the row and its history
   * later.
   */
  remove(row: MonitorRow): MonitorRow {
    return this.#addClockChange('end', {
      ...row,
      disabled_at: this.#context.nowMs,
      ...this.#updateStamps(row),
    });
  }

  /** @throws Fault `conflict` if an id is already in use. */
  async write(): Promise<void> {
    const { writer, nowMs } = this.#context;
    const known = this.#clockChanges.filter(({ kind }) => kind !== 'begin').map(({ row }) => row.uid);
    const locked = new Map((await lockMonitorClocksByUid(writer, known)).map((row) => [row.uid, row]));
    const graces = await this.#graces();
    const book = new MonitoringUnitOfWork(writer, nowMs);
    const clocks = new Map<string, MonitorClockRow>();
    for (const [at, step] of this.#clockChanges.entries()) {
      // Ten thousand changes at once must not block the event loop.
      if (at % CLOCK_CHANGES_PER_TURN === CLOCK_CHANGES_PER_TURN - 1) await nextTurn();
      const { row } = step;
      const plan = parseMonitorPlan({
        ...row,
        grace_ms: row.grace_ms ?? graces.get(row.org_id) ?? DEFAULT_GRACE_MS,
      });
      const evaluation = createClockEvaluation(plan, this.#context.gaps);
      const before = clocks.get(row.uid) ?? locked.get(row.uid);
      const clock = this.#clockAfter(step, evaluation, before);
      if (step.kind === 'end') clocks.delete(row.uid);
      else clocks.set(row.uid, this.#clockRow(row, plan, clock));
      book.addHistory(row, clock.lastBeatAt, evaluation);
    }
    await upsertMonitors(writer, [...this.#rows.values()]);
    await upsertMonitorClocks(writer, [...clocks.values()]);
    await book.write();
    const ended = this.#clockChanges.filter(({ kind }) => kind === 'end').map(({ row }) => row.uid);
    await deleteMonitorClocks(writer, ended);
  }

  #clockAfter(
    step: ClockChange,
    evaluation: ClockEvaluation,
    before: MonitorClockRow | undefined,
  ): MonitorClock {
    const { nowMs, committedUntil } = this.#context;
    const { row } = step;
    if (step.kind === 'begin') return createMonitorClock(evaluation, nowMs, activePause(row, nowMs));
    if (!before) throw new Error(`monitor ${row.uid} has no clock`);
    const at = Math.max(nowMs, before.settled_at);
    const plan = parseMonitorPlan(before);
    // Beats that were due after `committedUntil` may still arrive. This change does not evaluate them.
    const settled = evaluateClockUntil(
      parseMonitorClock(before),
      { ...evaluation, plan },
      Math.min(at, committedUntil),
    );
    if (step.kind === 'end') return endMonitorClock(settled, at, evaluation);
    const replanned = changeMonitorPlan(settled, plan, evaluation.plan, at);
    const wanted = activePause(row, at);
    return wanted
      ? pauseMonitorClock(replanned, at, wanted.until, evaluation)
      : resumeMonitorClock(replanned, evaluation, at);
  }

  /** The default grace period of each affected organization that sets one. */
  async #graces(): Promise<ReadonlyMap<string, number>> {
    const graces = new Map<string, number>();
    for (const orgId of new Set(this.#clockChanges.map(({ row }) => row.org_id))) {
      const graceMs = await getDefaultGraceMs(this.#context.writer, orgId);
      if (graceMs !== undefined) graces.set(orgId, graceMs);
    }
    return graces;
  }

  #addClockChange(kind: ClockChange['kind'], row: MonitorRow): MonitorRow {
    this.#rows.set(row.uid, row);
    this.#clockChanges.push({ kind, row });
    return row;
  }

  #sourceColumns() {
    const { kind, file, line } = this.#context.source;
    return { source: kind, source_file: file ?? null, source_line: line };
  }

  /** The clocks of two servers may differ by milliseconds. A later change must not have an earlier time. */
  #updateStamps(row: MonitorRow) {
    const { nowMs, actor } = this.#context;
    return { updated_at: Math.max(nowMs, row.updated_at), updated_by: actor };
  }

  #clockRow(row: MonitorRow, plan: MonitorPlan, clock: MonitorClock): MonitorClockRow {
    return {
      uid: row.uid,
      org_id: row.org_id,
      id: row.id,
      token_hash: hashBeatToken(deriveBeatToken(this.#context.secret, row.uid, row.token_version)),
      interval_ms: row.interval_ms,
      cron: row.cron,
      timezone: row.timezone,
      grace_ms: plan.graceMs,
      first_beat_due_ms: row.first_beat_due_ms,
      alert_after_misses: row.alert_after_misses,
      fail_counts_as_miss: row.fail_counts_as_miss,
      ...toMonitorClockColumns(clock),
    };
  }
}

/** Returns the row for a monitor that has no history. */
export function createMonitorRow(columns: Omit<MonitorRow, 'uid' | 'token_version'>): MonitorRow {
  return { uid: newId('mon', columns.created_at), token_version: 1, ...columns };
}

/** Clears a pause that has already ended. */
function activePause(
  { paused, paused_until: until }: MonitorRow,
  nowMs: number,
): { readonly until: number | null } | null {
  if (until !== null) return until > nowMs ? { until } : null;
  return paused === 1 ? { until: null } : null;
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
