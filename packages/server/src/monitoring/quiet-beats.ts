import { Fault } from '@floe/contract/faults';
import type { BeatKeyRow, CheckRow, ClockRow } from '../store/monitoring/clock-row.ts';
import type { BeatStore, QuietBeats } from '../store/monitoring/quiet-beats.ts';
import { answerOf, type BeatAnswer, type BeatCall, inOrder, type Sight, takeCall } from './beat-call.ts';
import type { Outcome } from './clock.ts';
import type { KnownClocks } from './known-clocks.ts';

/** Calls of one monitor, judged by where its clock is thought to stand. */
interface Judged extends QuietBeats {
  readonly answers: ReadonlyMap<BeatCall, BeatAnswer>;
}

/**
 * Takes the calls that find out nothing, as most do: judged here by a known clock, written in one message to the store if
 * the clock still stands there. Gives null for the others, which `commitBeats` takes under lock.
 *
 * Only for a process that is alone on its store: of several, another one took the beat before.
 *
 * @throws Fault when the database is away.
 */
export async function keepQuietBeats(
  database: BeatStore,
  calls: readonly BeatCall[],
  sight: Sight,
  clocks: KnownClocks,
): Promise<(BeatAnswer | null)[]> {
  const judged = byMonitor(calls, clocks).flatMap(([row, own]) => quiet(row, own, sight) ?? []);
  const answers = new Map<BeatCall, BeatAnswer>();
  const kept = judged.length === 0 ? [] : await keep(database, judged);
  for (const [at, one] of judged.entries()) {
    if (!kept[at]) {
      clocks.forget(one.before.uid);
      continue;
    }
    clocks.learn(one.after);
    for (const [call, answer] of one.answers) answers.set(call, answer);
  }
  return calls.map((call) => answers.get(call) ?? null);
}

async function keep(database: BeatStore, judged: readonly Judged[]): Promise<readonly boolean[]> {
  try {
    return await database.keepBeats(judged);
  } catch (error) {
    // A key that became known while the statement ran: nothing was written, and the lock will tell.
    if (error instanceof Fault && error.code === 'conflict') return [];
    throw error;
  }
}

function byMonitor(
  calls: readonly BeatCall[],
  clocks: KnownClocks,
): readonly (readonly [ClockRow, readonly BeatCall[]])[] {
  const groups = new Map<string, [ClockRow, BeatCall[]]>();
  for (const call of calls) {
    const row = clocks.get(call.address);
    if (!row) continue;
    const group = groups.get(row.uid);
    if (group) group[1].push(call);
    else groups.set(row.uid, [row, [call]]);
  }
  return [...groups.values()];
}

/** Null when one of the calls finds something out, or has the key of another one. */
function quiet(before: ClockRow, calls: readonly BeatCall[], sight: Sight): Judged | null {
  const checks: CheckRow[] = [];
  const keys = new Map<string, BeatKeyRow>();
  const answers = new Map<BeatCall, BeatAnswer>();
  let after = before;
  for (const call of inOrder(calls)) {
    const { moved, check, key, out } = takeCall(after, call, sight);
    if (!isQuiet(out) || (key && keys.has(key.key))) return null;
    after = moved;
    checks.push(check);
    if (key) keys.set(key.key, key);
    answers.set(call, answerOf(moved, check.id, call.receivedAt));
  }
  return { before, after, checks, keys: [...keys.values()], answers };
}

function isQuiet({ verdicts, periods, notices }: Outcome): boolean {
  return verdicts.length + periods.length + notices.length === 0;
}
