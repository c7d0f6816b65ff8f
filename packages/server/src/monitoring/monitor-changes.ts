import type { KeyObject } from 'node:crypto';
import { newId } from '../core/ids.ts';
import type { MonitorClockRow } from '../store/monitoring/clock-rows.ts';
import { deleteClocks, lockClocksByUid, upsertClocks } from '../store/monitoring/monitor-clocks.ts';
import { getDefaultGraceMs, type MonitorRow, upsertMonitors } from '../store/monitoring/monitors.ts';
import type { DatabaseWriter } from '../store/ports.ts';
import { deriveBeatToken, hashBeatToken } from './beat-token.ts';
import { changeMonitorPlan, createClock, endClock, pauseClock, resumeClock } from './clock-events.ts';
import { clockColumns, clockFromRow, planFromRow } from './clock-rows.ts';
import { evaluateUntil } from './evaluate-until.ts';
import {
  createEvaluation,
  type Evaluation,
  type Gap,
  type MonitorClock,
  type MonitorPlan,
} from './monitor-clock.ts';
import { DEFAULT_GRACE_MS, type MonitorDefinition } from './monitor-definition.ts';
import { UnitOfWork } from './unit-of-work.ts';

/** What a change of monitors needs beside its own transaction. */
export interface MonitorChangeContext {
  readonly writer: DatabaseWriter;
  /** Derives beat URLs: the pepper of the installation. */
  readonly secret: KeyObject;
  /** Database time of the change. */
  readonly nowMs: number;
  /** Everything before it is committed: what was due until then and did not come was missed. */
  readonly committedUntil: number;
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

/** What becomes of a monitor's clock: a new one, one brought to the definition, or none any more. */
interface ClockChange {
  readonly kind: 'begin' | 'follow' | 'end';
  readonly row: MonitorRow;
}

const CLOCK_CHANGES_PER_TURN = 500;

/**
 * Changes of monitors that are written together: each kind of row in one statement, however many monitors there are.
 * What was missed until the change is judged by the old definition.
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

  /** Replaces a monitor's definition, also of one that was removed; its history continues. */
  replace(row: MonitorRow, definition: MonitorDefinition): MonitorRow {
    const columns = { ...definition, id: row.id, ...this.#sourceColumns() };
    return this.replaceRow(row, { ...row, ...columns, disabled_at: null, ...this.#updateStamps(row) });
  }

  /** Puts a row in the place of the one before it. */
  replaceRow(before: MonitorRow, next: MonitorRow): MonitorRow {
    return this.#addClockChange(before.disabled_at === null ? 'follow' : 'begin', next);
  }

  /** Changes some columns of a definition. */
  updateColumns(
    row: MonitorRow,
    change: Partial<Pick<MonitorRow, 'paused' | 'paused_until' | 'muted_until' | 'token_version'>>,
  ): MonitorRow {
    return this.#addClockChange('follow', { ...row, ...change, ...this.#updateStamps(row) });
  }

  /** That a monitor moved in the file, or the file was renamed, is no change of it. */
  updateSource(next: MonitorRow): void {
    this.#rows.set(next.uid, next);
  }

  /** Brings the clock to the definition again: what it inherits has changed. */
  refreshClock(row: MonitorRow): void {
    this.#clockChanges.push({ kind: 'follow', row });
  }

  /** Takes no beats and judges nothing from now on. Its row stays for its history, until retention removes both. */
  remove(row: MonitorRow): MonitorRow {
    return this.#addClockChange('end', {
      ...row,
      disabled_at: this.#context.nowMs,
      ...this.#updateStamps(row),
    });
  }

  /** @throws Fault `conflict` when an id is taken. */
  async write(): Promise<void> {
    const { writer, nowMs } = this.#context;
    const known = this.#clockChanges.filter(({ kind }) => kind !== 'begin').map(({ row }) => row.uid);
    const locked = new Map((await lockClocksByUid(writer, known)).map((row) => [row.uid, row]));
    const graces = await this.#graces();
    const book = new UnitOfWork(writer, nowMs);
    const clocks = new Map<string, MonitorClockRow>();
    for (const [at, step] of this.#clockChanges.entries()) {
      // Ten thousand at once must not hold up what else this process does.
      if (at % CLOCK_CHANGES_PER_TURN === CLOCK_CHANGES_PER_TURN - 1) await nextTurn();
      const { row } = step;
      const plan = planFromRow({
        ...row,
        grace_ms: row.grace_ms ?? graces.get(row.org_id) ?? DEFAULT_GRACE_MS,
      });
      const evaluation = createEvaluation(plan, this.#context.gaps);
      const before = clocks.get(row.uid) ?? locked.get(row.uid);
      const clock = this.#clockAfter(step, evaluation, before);
      if (step.kind === 'end') clocks.delete(row.uid);
      else clocks.set(row.uid, this.#clockRow(row, plan, clock));
      book.addHistory(row, clock.lastBeatAt, evaluation);
    }
    await upsertMonitors(writer, [...this.#rows.values()]);
    await upsertClocks(writer, [...clocks.values()]);
    await book.write();
    const ended = this.#clockChanges.filter(({ kind }) => kind === 'end').map(({ row }) => row.uid);
    await deleteClocks(writer, ended);
  }

  #clockAfter(step: ClockChange, evaluation: Evaluation, before: MonitorClockRow | undefined): MonitorClock {
    const { nowMs, committedUntil } = this.#context;
    const { row } = step;
    if (step.kind === 'begin') return createClock(evaluation, nowMs, activePause(row, nowMs));
    if (!before) throw new Error(`monitor ${row.uid} has no clock`);
    const at = Math.max(nowMs, before.settled_at);
    const plan = planFromRow(before);
    // What was due from `committedUntil` on may still arrive: this change does not judge it.
    const settled = evaluateUntil(
      clockFromRow(before),
      { ...evaluation, plan },
      Math.min(at, committedUntil),
    );
    if (step.kind === 'end') return endClock(settled, at, evaluation);
    const replanned = changeMonitorPlan(settled, plan, evaluation.plan, at);
    const wanted = activePause(row, at);
    return wanted
      ? pauseClock(replanned, at, wanted.until, evaluation)
      : resumeClock(replanned, evaluation, at);
  }

  /** The grace of each org concerned that set one. */
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

  /** Two servers read the database's clock some milliseconds apart: what is changed later is not dated earlier. */
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
      ...clockColumns(clock),
    };
  }
}

/** The row of a monitor that has no history yet. */
export function createMonitorRow(columns: Omit<MonitorRow, 'uid' | 'token_version'>): MonitorRow {
  return { uid: newId('mon', columns.created_at), token_version: 1, ...columns };
}

/** A pause that ended before now is none. */
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
