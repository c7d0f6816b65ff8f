import type { KeyObject } from 'node:crypto';
import { newId } from '../core/ids.ts';
import type { ClockRow } from '../store/monitoring/clock-row.ts';
import { lockClocks, putClocks, removeClocks } from '../store/monitoring/clocks.ts';
import { defaultGrace, type MonitorRow, putMonitors } from '../store/monitoring/definitions.ts';
import type { Writer } from '../store/ports.ts';
import { beatToken, tokenHash } from './beat-token.ts';
import { Book } from './book.ts';
import { type Clock, type Evaluation, evaluationOf, type Gap, type Plan } from './clock.ts';
import { clockColumns, clockOfRow, planOfRow } from './clock-rows.ts';
import { DEFAULT_GRACE_MS, type MonitorDefinition } from './definition.ts';
import { settle } from './settle.ts';
import { begin, end, pause, replan, unpause } from './state.ts';

/** What a change of monitors needs beside its own transaction. */
export interface Changing {
  readonly writer: Writer;
  /** Derives beat URLs: the pepper of the installation. */
  readonly secret: KeyObject;
  /** Database time of the change. */
  readonly nowMs: number;
  /** Everything before it is committed: what was due until then and did not come was missed. */
  readonly settledUntil: number;
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
interface Step {
  readonly kind: 'begin' | 'follow' | 'end';
  readonly row: MonitorRow;
}

const STEPS_PER_TURN = 500;

/**
 * Changes of monitors that are written together: each kind of row in one statement, however many monitors there are.
 * What was missed until the change is judged by the old definition.
 */
export class MonitorChanges {
  readonly #changing: Changing;
  readonly #rows = new Map<string, MonitorRow>();
  readonly #steps: Step[] = [];

  constructor(changing: Changing) {
    this.#changing = changing;
  }

  create(orgId: string, definition: MonitorDefinition): MonitorRow {
    const { nowMs, actor } = this.#changing;
    const columns = { ...definition, ...this.#place(), disabled_at: null };
    const stamps = { created_at: nowMs, updated_at: nowMs, updated_by: actor };
    return this.add(newMonitor({ org_id: orgId, ...columns, ...stamps }));
  }

  /** Adds a monitor that waits for its first beat. */
  add(row: MonitorRow): MonitorRow {
    return this.#take('begin', row);
  }

  /** Replaces a monitor's definition, also of one that was removed; its history continues. */
  replace(row: MonitorRow, definition: MonitorDefinition): MonitorRow {
    const columns = { ...definition, id: row.id, ...this.#place() };
    return this.put(row, { ...row, ...columns, disabled_at: null, ...this.#updated(row) });
  }

  /** Puts a row in the place of the one before it. */
  put(before: MonitorRow, next: MonitorRow): MonitorRow {
    return this.#take(before.disabled_at === null ? 'follow' : 'begin', next);
  }

  /** Changes some columns of a definition. */
  set(
    row: MonitorRow,
    change: Partial<Pick<MonitorRow, 'paused' | 'paused_until' | 'token_version'>>,
  ): MonitorRow {
    return this.#take('follow', { ...row, ...change, ...this.#updated(row) });
  }

  /** That a monitor moved in the file, or the file was renamed, is no change of it. */
  move(next: MonitorRow): void {
    this.#rows.set(next.uid, next);
  }

  /** Brings the clock to the definition again: what it inherits has changed. */
  follow(row: MonitorRow): void {
    this.#steps.push({ kind: 'follow', row });
  }

  /** Takes no beats and judges nothing from now on. Its row stays for its history, until retention removes both. */
  remove(row: MonitorRow): MonitorRow {
    return this.#take('end', { ...row, disabled_at: this.#changing.nowMs, ...this.#updated(row) });
  }

  /** @throws Fault `conflict` when an id is taken. */
  async write(): Promise<void> {
    const { writer, nowMs } = this.#changing;
    const known = this.#steps.filter(({ kind }) => kind !== 'begin').map(({ row }) => row.uid);
    const locked = new Map((await lockClocks(writer, known)).map((row) => [row.uid, row]));
    const graces = await this.#graces();
    const book = new Book(writer, nowMs);
    const clocks = new Map<string, ClockRow>();
    for (const [at, step] of this.#steps.entries()) {
      // Ten thousand at once must not hold up what else this process does.
      if (at % STEPS_PER_TURN === STEPS_PER_TURN - 1) await nextTurn();
      const { row } = step;
      const plan = planOfRow({
        ...row,
        grace_ms: row.grace_ms ?? graces.get(row.org_id) ?? DEFAULT_GRACE_MS,
      });
      const evaluation = evaluationOf(plan, this.#changing.gaps);
      const before = clocks.get(row.uid) ?? locked.get(row.uid);
      const clock = this.#clockAfter(step, evaluation, before);
      if (step.kind === 'end') clocks.delete(row.uid);
      else clocks.set(row.uid, this.#clockRow(row, plan, clock));
      book.record(row, clock.lastBeatAt, evaluation);
    }
    await putMonitors(writer, [...this.#rows.values()]);
    await putClocks(writer, [...clocks.values()]);
    await book.write();
    const ended = this.#steps.filter(({ kind }) => kind === 'end').map(({ row }) => row.uid);
    await removeClocks(writer, ended);
  }

  #clockAfter(step: Step, evaluation: Evaluation, before: ClockRow | undefined): Clock {
    const { nowMs, settledUntil } = this.#changing;
    const { row } = step;
    if (step.kind === 'begin') return begin(evaluation, nowMs, pauseOf(row, nowMs));
    if (!before) throw new Error(`monitor ${row.uid} has no clock`);
    const at = Math.max(nowMs, before.settled_at);
    const plan = planOfRow(before);
    // What was due from `settledUntil` on may still arrive: this change does not judge it.
    const settled = settle(clockOfRow(before), { ...evaluation, plan }, Math.min(at, settledUntil));
    if (step.kind === 'end') return end(settled, at, evaluation);
    const replanned = replan(settled, plan, evaluation.plan, at);
    const wanted = pauseOf(row, at);
    return wanted ? pause(replanned, at, wanted.until, evaluation) : unpause(replanned, evaluation, at);
  }

  /** The grace of each org concerned that set one. */
  async #graces(): Promise<ReadonlyMap<string, number>> {
    const graces = new Map<string, number>();
    for (const orgId of new Set(this.#steps.map(({ row }) => row.org_id))) {
      const graceMs = await defaultGrace(this.#changing.writer, orgId);
      if (graceMs !== undefined) graces.set(orgId, graceMs);
    }
    return graces;
  }

  #take(kind: Step['kind'], row: MonitorRow): MonitorRow {
    this.#rows.set(row.uid, row);
    this.#steps.push({ kind, row });
    return row;
  }

  #place() {
    const { kind, file, line } = this.#changing.source;
    return { source: kind, source_file: file ?? null, source_line: line };
  }

  /** Two servers read the database's clock some milliseconds apart: what is changed later is not dated earlier. */
  #updated(row: MonitorRow) {
    const { nowMs, actor } = this.#changing;
    return { updated_at: Math.max(nowMs, row.updated_at), updated_by: actor };
  }

  #clockRow(row: MonitorRow, plan: Plan, clock: Clock): ClockRow {
    return {
      uid: row.uid,
      org_id: row.org_id,
      id: row.id,
      token_hash: tokenHash(beatToken(this.#changing.secret, row.uid, row.token_version)),
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
export function newMonitor(columns: Omit<MonitorRow, 'uid' | 'token_version'>): MonitorRow {
  return { uid: newId('mon', columns.created_at), token_version: 1, ...columns };
}

/** A pause that ended before now is none. */
function pauseOf(
  { paused, paused_until: until }: MonitorRow,
  nowMs: number,
): { readonly until: number | null } | null {
  if (until !== null) return until > nowMs ? { until } : null;
  return paused === 1 ? { until: null } : null;
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
