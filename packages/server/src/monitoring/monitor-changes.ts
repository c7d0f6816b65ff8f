import type { KeyObject } from 'node:crypto';
import { createId } from '../core/ids.ts';
import {
  deleteMonitorStates,
  lockMonitorStatesByUid,
  upsertMonitorStates,
} from '../store/monitoring/monitor-states.ts';
import type { MonitorStateRow } from '../store/monitoring/monitoring-rows.ts';
import { getDefaultGraceMs, type MonitorRow, upsertMonitors } from '../store/monitoring/monitors.ts';
import { requireRewindCount } from '../store/monitoring/rewind-count.ts';
import type { DatabaseWriter } from '../store/store-interfaces.ts';
import { deriveBeatToken, hashBeatToken } from './beat-token.ts';
import { evaluateStateUntil } from './evaluate-state-until.ts';
import { DEFAULT_GRACE_MS, type MonitorDefinition } from './monitor-definition.ts';
import {
  createMonitorStateEvaluation,
  type MonitorState,
  type MonitorStateEvaluation,
  type MonitorTiming,
} from './monitor-state.ts';
import { parseMonitorState, parseMonitorTiming, toMonitorStateColumns } from './monitor-state-columns.ts';
import {
  applyMonitorRemoval,
  changeMonitorTiming,
  createMonitorState,
  pauseMonitorState,
  resumeMonitorState,
} from './monitor-state-events.ts';
import { MonitoringUnitOfWork } from './monitoring-unit-of-work.ts';
import type { MonitorChangeTime } from './read-monitors.ts';

/** The input for changing monitors. */
export interface MonitorChangeContext extends MonitorChangeTime {
  readonly writer: DatabaseWriter;
  /** The installation's secret, from which beat URLs are derived. */
  readonly secret: KeyObject;
  /** Who makes the change: a key id, a member id or `file`. */
  readonly actor: string;
  readonly source: {
    readonly kind: 'file' | 'console';
    /** Path of floe.yaml, if it makes the change. */
    readonly file?: string;
    readonly line: number | null;
  };
}

/** The new, changed or removed state of one monitor. */
interface StateChange {
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
  readonly #stateChanges: StateChange[] = [];

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
    return this.#addStateChange('begin', row);
  }

  /** Replaces the definition of a monitor. A removed monitor is restored with its history. */
  replace(row: MonitorRow, definition: MonitorDefinition): MonitorRow {
    const columns = { ...definition, id: row.id, ...this.#sourceColumns() };
    return this.replaceRow(row, { ...row, ...columns, disabled_at: null, ...this.#updateStamps(row) });
  }

  /** Replaces the row of a monitor. */
  replaceRow(before: MonitorRow, next: MonitorRow): MonitorRow {
    return this.#addStateChange(before.disabled_at === null ? 'follow' : 'begin', next);
  }

  /** Changes columns of a monitor's definition. */
  updateColumns(
    row: MonitorRow,
    change: Partial<Pick<MonitorRow, 'paused' | 'paused_until' | 'muted_until' | 'token_version'>>,
  ): MonitorRow {
    return this.#addStateChange('follow', { ...row, ...change, ...this.#updateStamps(row) });
  }

  /** Updates the monitor's position in floe.yaml. This does not count as a change of the monitor. */
  updateSource(next: MonitorRow): void {
    this.#rows.set(next.uid, next);
  }

  /** Updates the state of a monitor because a setting that it inherits has changed. */
  refreshState(row: MonitorRow): void {
    this.#stateChanges.push({ kind: 'follow', row });
  }

  /**
   * Removes a monitor. It accepts no beats and is not evaluated. Retention removes the row and its history
   * later.
   */
  remove(row: MonitorRow): MonitorRow {
    return this.#addStateChange('end', {
      ...row,
      disabled_at: this.#context.nowMs,
      ...this.#updateStamps(row),
    });
  }

  /**
   * Writes all collected changes. Returns the new states by the uid of their monitors.
   * @throws Fault `conflict` if an id is already in use; `overloaded` if the clock was set back in the meantime
   */
  async write(): Promise<ReadonlyMap<string, MonitorStateRow>> {
    const { writer, nowMs, rewindCount } = this.#context;
    await requireRewindCount(writer, rewindCount);
    const known = this.#stateChanges.filter(({ kind }) => kind !== 'begin').map(({ row }) => row.uid);
    const locked = new Map((await lockMonitorStatesByUid(writer, known)).map((row) => [row.uid, row]));
    const graces = await this.#graces();
    const book = new MonitoringUnitOfWork(writer, nowMs);
    const states = new Map<string, MonitorStateRow>();
    for (const [at, step] of this.#stateChanges.entries()) {
      // Ten thousand changes at once must not block the event loop.
      if (at % CLOCK_CHANGES_PER_TURN === CLOCK_CHANGES_PER_TURN - 1) await nextTurn();
      const { row } = step;
      const plan = parseMonitorTiming({
        ...row,
        grace_ms: row.grace_ms ?? graces.get(row.org_id) ?? DEFAULT_GRACE_MS,
      });
      const evaluation = createMonitorStateEvaluation(plan, this.#context.gaps);
      const before = states.get(row.uid) ?? locked.get(row.uid);
      const state = this.#stateAfter(step, evaluation, before);
      if (step.kind === 'end') states.delete(row.uid);
      else states.set(row.uid, this.#stateRow(row, plan, state));
      book.addHistory(row, evaluation);
    }
    await upsertMonitors(writer, [...this.#rows.values()]);
    await upsertMonitorStates(writer, [...states.values()]);
    await book.write();
    const ended = this.#stateChanges.filter(({ kind }) => kind === 'end').map(({ row }) => row.uid);
    await deleteMonitorStates(writer, ended);
    return states;
  }

  #stateAfter(
    step: StateChange,
    evaluation: MonitorStateEvaluation,
    before: MonitorStateRow | undefined,
  ): MonitorState {
    const { nowMs, committedUntil } = this.#context;
    const { row } = step;
    if (step.kind === 'begin') return createMonitorState(evaluation, nowMs, activePause(row, nowMs));
    if (!before) throw new Error(`the state row of the monitor ${row.uid} is missing`);
    const at = Math.max(nowMs, before.settled_at);
    const plan = parseMonitorTiming(before);
    // Beats that were due after `committedUntil` may still arrive. This change does not evaluate them.
    const settled = evaluateStateUntil(
      parseMonitorState(before),
      { ...evaluation, plan },
      Math.min(at, committedUntil),
    );
    if (step.kind === 'end') return applyMonitorRemoval(settled, at, evaluation);
    const replanned = changeMonitorTiming(settled, plan, evaluation.plan, at);
    const wanted = activePause(row, at);
    return wanted
      ? pauseMonitorState(replanned, at, wanted.until, evaluation)
      : resumeMonitorState(replanned, evaluation, at);
  }

  /** Returns the default grace period of each affected organization that sets one. */
  async #graces(): Promise<ReadonlyMap<string, number>> {
    const graces = new Map<string, number>();
    for (const orgId of new Set(this.#stateChanges.map(({ row }) => row.org_id))) {
      const graceMs = await getDefaultGraceMs(this.#context.writer, orgId);
      if (graceMs !== undefined) graces.set(orgId, graceMs);
    }
    return graces;
  }

  #addStateChange(kind: StateChange['kind'], row: MonitorRow): MonitorRow {
    this.#rows.set(row.uid, row);
    this.#stateChanges.push({ kind, row });
    return row;
  }

  #sourceColumns() {
    const { kind, file, line } = this.#context.source;
    return { source: kind, source_file: file ?? null, source_line: line };
  }

  /**
   * Returns the time columns for a change. They are never earlier than those of the previous change, even if
   * the clocks of two servers differ.
   */
  #updateStamps(row: MonitorRow) {
    const { nowMs, actor } = this.#context;
    return { updated_at: Math.max(nowMs, row.updated_at), updated_by: actor };
  }

  #stateRow(row: MonitorRow, plan: MonitorTiming, state: MonitorState): MonitorStateRow {
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
      ...toMonitorStateColumns(state),
    };
  }
}

/** Returns the row of a new monitor, with a new uid. */
export function createMonitorRow(columns: Omit<MonitorRow, 'uid' | 'token_version'>): MonitorRow {
  return { uid: createId('mon', columns.created_at), token_version: 1, ...columns };
}

/** Returns the pause of a monitor; null if there is none or it has ended. */
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
