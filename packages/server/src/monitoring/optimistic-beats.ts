import { Fault } from '@floe/contract/faults';
import type {
  BeatIdempotencyKeyRow,
  MonitorCheckRow,
  MonitorStateRow,
} from '../store/monitoring/monitoring-rows.ts';
import type { UneventfulBeats } from '../store/monitoring/uneventful-beats.ts';
import type { MonitorHistoryChanges } from './monitor-state.ts';
import type { MonitorStateCache } from './monitor-state-cache.ts';
import {
  applyReceivedBeat,
  type BeatEvaluationContext,
  type BeatReceipt,
  type ReceivedBeat,
  sortBeatsByReceivedAt,
  toBeatReceipt,
} from './received-beat.ts';

/** The beats of one monitor, evaluated with its cached state. */
interface EvaluatedBeats extends UneventfulBeats {
  readonly receipts: ReadonlyMap<ReceivedBeat, BeatReceipt>;
}

type ApplyUneventfulBeats = (beats: readonly UneventfulBeats[]) => Promise<readonly boolean[]>;

/**
 * Applies beats that cause no missed check, no new period and no alert. Most beats are of this kind. Evaluates
 * them with a cached monitor state, and writes them with one statement if the database still has the same
 * state. Returns the receipt of each applied beat, and null for every other beat. `commitBeats` must apply the
 * other beats with a lock. Use this function only if no other process uses the database. Otherwise, the cached
 * state is usually outdated.
 *
 * @param apply writes the beats (see `BeatStore.applyBeatsIfUnchanged`)
 * @throws Fault if the database is unavailable
 */
export async function applyBeatsOptimistically(
  apply: ApplyUneventfulBeats,
  calls: readonly ReceivedBeat[],
  context: BeatEvaluationContext,
  states: MonitorStateCache,
): Promise<(BeatReceipt | null)[]> {
  const evaluated = groupByMonitor(calls, states).flatMap(
    ([row, own]) => evaluateIfUneventful(row, own, context) ?? [],
  );
  const answers = new Map<ReceivedBeat, BeatReceipt>();
  const kept = evaluated.length === 0 ? [] : await writeIfUnchanged(apply, evaluated);
  for (const [at, one] of evaluated.entries()) {
    if (!kept[at]) {
      states.delete(one.before.uid);
      continue;
    }
    states.set(one.after);
    for (const [call, answer] of one.receipts) answers.set(call, answer);
  }
  return calls.map((call) => answers.get(call) ?? null);
}

async function writeIfUnchanged(
  apply: ApplyUneventfulBeats,
  judged: readonly EvaluatedBeats[],
): Promise<readonly boolean[]> {
  try {
    return await apply(judged);
  } catch (error) {
    // An idempotency key was stored while the statement ran. Nothing was written; the transaction with the
    // lock decides.
    if (error instanceof Fault && error.code === 'conflict') return [];
    throw error;
  }
}

function groupByMonitor(
  calls: readonly ReceivedBeat[],
  states: MonitorStateCache,
): readonly (readonly [MonitorStateRow, readonly ReceivedBeat[]])[] {
  const groups = new Map<string, [MonitorStateRow, ReceivedBeat[]]>();
  for (const call of calls) {
    const row = states.get(call.address);
    if (!row) continue;
    const group = groups.get(row.uid);
    if (group) group[1].push(call);
    else groups.set(row.uid, [row, [call]]);
  }
  return [...groups.values()];
}

/**
 * Evaluates the calls of one monitor. Returns null if a call changes the status of its monitor or repeats the
 * key of another call.
 */
function evaluateIfUneventful(
  before: MonitorStateRow,
  calls: readonly ReceivedBeat[],
  context: BeatEvaluationContext,
): EvaluatedBeats | null {
  const checks: MonitorCheckRow[] = [];
  const keys = new Map<string, BeatIdempotencyKeyRow>();
  const answers = new Map<ReceivedBeat, BeatReceipt>();
  let after = before;
  for (const call of sortBeatsByReceivedAt(calls)) {
    const { stateRow, check, key, changes } = applyReceivedBeat(after, call, context);
    if (!isUneventful(changes) || (key && keys.has(key.key))) return null;
    after = stateRow;
    checks.push(check);
    if (key) keys.set(key.key, key);
    answers.set(call, toBeatReceipt(stateRow, check.id, call.receivedAt));
  }
  return { before, after, checks, keys: [...keys.values()], receipts: answers };
}

function isUneventful({ inferredChecks, periods, alertTriggers }: MonitorHistoryChanges): boolean {
  return inferredChecks.length + periods.length + alertTriggers.length === 0;
}
