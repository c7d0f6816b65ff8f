import type { KeyObject } from 'node:crypto';
import { newId } from '../core/ids.ts';
import type { ClockRow } from '../store/monitoring/clock-row.ts';
import { lockClocks, putClocks, removeClocks } from '../store/monitoring/clocks.ts';
import { defaultGrace, type MonitorRow, putMonitors } from '../store/monitoring/definitions.ts';
import type { Writer } from '../store/ports.ts';
import { beatToken, tokenHash } from './beat-token.ts';
import { Book } from './book.ts';
import { type Clock, type Gap, noOutcome, type Outcome, type Plan } from './clock.ts';
import { clockColumns, clockOfRow, planOfRow } from './clock-rows.ts';
import { DEFAULT_GRACE_MS, definitionColumns, type MonitorDefinition } from './definition.ts';
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
type Step =
  | { readonly kind: 'begin' | 'follow'; readonly row: MonitorRow }
  | { readonly kind: 'end'; readonly row: MonitorRow; readonly by: 'pause' | 'deleted' };

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

  /** Adds a monitor that waits for its first beat. */
  create(orgId: string, definition: MonitorDefinition, source = this.#changing.source): MonitorRow {
    const { nowMs, actor } = this.#changing;
    const row: MonitorRow = {
      uid: newId('mon', nowMs),
      org_id: orgId,
      ...definitionColumns(definition),
      token_version: 1,
      disabled_at: null,
      ...placeColumns(source),
      created_at: nowMs,
      updated_at: nowMs,
      updated_by: actor,
    };
    return this.#take('begin', row);
  }

  /** Replaces a monitor's definition, and enables it if it was disabled; its history goes on. */
  replace(row: MonitorRow, definition: MonitorDefinition, source = this.#changing.source): MonitorRow {
    const columns = { ...definitionColumns(definition), id: row.id, ...placeColumns(source) };
    const next = { ...row, ...columns, disabled_at: null, ...this.#updated(row) };
    return this.#take(row.disabled_at === null ? 'follow' : 'begin', next);
  }

  /** Changes some columns of a definition. */
  set(
    row: MonitorRow,
    change: Partial<Pick<MonitorRow, 'paused' | 'paused_until' | 'token_version'>>,
  ): MonitorRow {
    return this.#take('follow', { ...row, ...change, ...this.#updated(row) });
  }

  /** That a monitor moved in the file, or the file was renamed, is no change of it. */
  move(row: MonitorRow, source: Changing['source']): void {
    this.#rows.set(row.uid, { ...row, ...placeColumns(source) });
  }

  /** Brings the clock to the definition again: what it inherits has changed. */
  follow(row: MonitorRow): void {
    this.#steps.push({ kind: 'follow', row });
  }

  /** Takes no beats and judges nothing from now on. */
  end(row: MonitorRow, by: 'pause' | 'deleted'): MonitorRow {
    const next = { ...row, disabled_at: this.#changing.nowMs, ...this.#updated(row) };
    this.#rows.set(row.uid, next);
    this.#steps.push({ kind: 'end', row: next, by });
    return next;
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
      const out = noOutcome();
      const before = clocks.get(row.uid) ?? locked.get(row.uid);
      const clock = this.#clockAfter(step, plan, before, out);
      if (step.kind === 'end') clocks.delete(row.uid);
      else clocks.set(row.uid, this.#clockRow(row, plan, clock));
      book.record(row, clock.lastBeatAt, out);
    }
    await putMonitors(writer, [...this.#rows.values()]);
    await putClocks(writer, [...clocks.values()]);
    await book.write();
    const ended = this.#steps.filter(({ kind }) => kind === 'end').map(({ row }) => row.uid);
    await removeClocks(writer, ended);
  }

  #clockAfter(step: Step, plan: Plan, before: ClockRow | undefined, out: Outcome): Clock {
    const { nowMs, settledUntil, gaps } = this.#changing;
    const { row } = step;
    if (step.kind === 'begin') return begin(plan, nowMs, pauseOf(row, nowMs), out);
    if (!before) throw new Error(`monitor ${row.uid} has no clock`);
    const at = Math.max(nowMs, before.settled_at);
    const stands = clockOfRow(before);
    if (step.kind === 'end') return end(stands, planOfRow(before), { gaps, settledUntil }, at, step.by, out);
    const replanned = replan(stands, planOfRow(before), plan, gaps, at, out, settledUntil);
    const wanted = pauseOf(row, at);
    return wanted
      ? pause(replanned, plan, gaps, at, wanted.until, out, settledUntil)
      : unpause(replanned, plan, gaps, at, out, settledUntil);
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

  #take(kind: 'begin' | 'follow', row: MonitorRow): MonitorRow {
    this.#rows.set(row.uid, row);
    this.#steps.push({ kind, row });
    return row;
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

function placeColumns({ kind, file, line }: Changing['source']) {
  return { source: kind, source_file: file ?? null, source_line: line };
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
