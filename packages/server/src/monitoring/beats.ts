import type { BeatKeyRow, ClockRow } from '../store/monitoring/clock-row.ts';
import {
  insertBeatKeys,
  knownBeats,
  lockAddressed,
  type MonitorAddress,
} from '../store/monitoring/clocks.ts';
import type { Database } from '../store/ports.ts';
import {
  answerOf,
  type BeatAnswer,
  type BeatCall,
  inOrder,
  nameOf,
  namesOf,
  type Sight,
  takeCall,
} from './beat-call.ts';
import { Book } from './book.ts';
import type { KnownClocks } from './known-clocks.ts';

/** `unknown`: there is no such monitor. `later`: another process may have an older beat that it did not write yet. */
export type BeatResult = BeatAnswer | 'unknown' | 'later';

/**
 * Takes a batch of calls in one transaction, each with what it finds out about its monitor; answers in order.
 *
 * @param clocks learns where the clocks stand afterwards.
 */
export async function commitBeats(
  database: Pick<Database, 'rowTransaction'>,
  calls: readonly BeatCall[],
  sight: Sight,
  clocks?: KnownClocks,
): Promise<BeatResult[]> {
  const done = await database.rowTransaction(async (writer) => {
    const rows = await lockAddressed(writer, distinct(calls));
    const byName = byAddress(rows);
    const keyed = calls.flatMap(({ address, idempotencyKey }) => {
      const row = byName.get(nameOf(address));
      return row && idempotencyKey !== null ? [{ uid: row.uid, key: idempotencyKey }] : [];
    });
    const known = new Map((await knownBeats(writer, keyed)).map((row) => [keyOf(row), row]));
    const book = new Book(writer, sight.nowMs);
    const fresh: BeatKeyRow[] = [];
    const results = new Map<BeatCall, BeatResult>();
    const late = new Set<string>();
    for (const call of inOrder(calls)) {
      const row = byName.get(nameOf(call.address));
      results.set(call, row ? take(row, call, { book, sight, known, fresh, late }) : 'unknown');
    }
    await book.write();
    await insertBeatKeys(writer, fresh);
    return { results, rows: rows.map((row) => book.current(row)) };
  });
  for (const row of done.rows) clocks?.learn(row);
  return calls.map((call) => done.results.get(call) ?? 'unknown');
}

interface Taking {
  readonly book: Book;
  readonly sight: Sight;
  readonly known: Map<string, BeatKeyRow>;
  readonly fresh: BeatKeyRow[];
  /** Monitors of which a call was put off: the calls after it wait with it. */
  readonly late: Set<string>;
}

function take(read: ClockRow, call: BeatCall, { book, sight, known, fresh, late }: Taking): BeatResult {
  const row = book.current(read);
  const { receivedAt, heardFrom = receivedAt, idempotencyKey } = call;
  const before =
    idempotencyKey === null ? undefined : known.get(keyOf({ uid: row.uid, key: idempotencyKey }));
  if (before) return answerOf(row, before.beat_id, before.received_at);
  const unjudged = row.due_at !== null && row.due_at < heardFrom && row.due_at >= sight.othersUntil;
  if (unjudged || late.has(row.uid)) {
    late.add(row.uid);
    return 'later';
  }
  const { moved, check, key, out } = takeCall(row, call, sight);
  book.move(moved);
  book.record(row, moved.last_beat_at, out);
  book.check(check);
  if (row.status === 'waiting' && moved.status !== 'waiting') book.heard(moved);
  if (key) {
    known.set(keyOf(key), key);
    fresh.push(key);
  }
  return answerOf(moved, check.id, receivedAt);
}

function keyOf({ uid, key }: { readonly uid: string; readonly key: string }): string {
  return `${uid}\n${key}`;
}

function distinct(calls: readonly BeatCall[]): MonitorAddress[] {
  return [...new Map(calls.map(({ address }) => [nameOf(address), address])).values()];
}

/** Each clock under both of its names. */
function byAddress(rows: readonly ClockRow[]): Map<string, ClockRow> {
  return new Map(rows.flatMap((row) => namesOf(row).map((name): [string, ClockRow] => [name, row])));
}
