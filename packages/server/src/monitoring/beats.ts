import { newId } from '../core/ids.ts';
import {
  type BeatKeyRow,
  type ClockRow,
  insertBeatKeys,
  knownBeats,
  lockAddressed,
  type MonitorAddress,
} from '../store/monitoring/clocks.ts';
import type { Database } from '../store/ports.ts';
import { Book } from './book.ts';
import { type Gap, type MonitorStatus, noOutcome } from './clock.ts';
import { clockOfRow, movedByBeat, planOfRow, statusOf } from './clock-rows.ts';
import { type Beat, beat } from './state.ts';

/** A call of a job as it was received. */
export interface BeatCall {
  readonly address: MonitorAddress;
  readonly kind: Beat['kind'];
  /** When the request was received, in database time. */
  readonly receivedAt: number;
  readonly runId: string | null;
  /** Calls of one monitor with one key are one beat. */
  readonly idempotencyKey: string | null;
  readonly metadataJson: string | null;
  /** What the job itself says went wrong; null unless it failed. */
  readonly error: string | null;
}

export interface BeatAnswer {
  readonly monitorId: string;
  readonly beatId: string;
  readonly receivedAt: number;
  readonly status: MonitorStatus;
  /** When the next beat is promised; null while nothing is. */
  readonly nextDueAt: number | null;
}

/** `unknown`: there is no such monitor. `later`: another process may have an older beat that it did not write yet. */
export type BeatResult = BeatAnswer | 'unknown' | 'later';

/** What judging takes beside the clocks themselves. */
export interface Sight {
  readonly nowMs: number;
  readonly gaps: readonly Gap[];
  /** Other processes have committed what they accepted before this instant. */
  readonly othersUntil: number;
}

const CHECK_STATUS = { ok: 'ok', fail: 'failed', start: 'started', log: 'logged' } as const;

/** Takes a batch of calls in one transaction, each with what it finds out about its monitor; answers in order. */
export function commitBeats(
  database: Pick<Database, 'engine' | 'rowTransaction'>,
  calls: readonly BeatCall[],
  sight: Sight,
): Promise<BeatResult[]> {
  const { engine } = database;
  return database.rowTransaction(async (writer) => {
    const rows = await lockAddressed(writer, engine, distinct(calls));
    const clocks = byAddress(rows);
    const keyed = calls.flatMap(({ address, idempotencyKey }) => {
      const row = clocks.get(nameOf(address));
      return row && idempotencyKey !== null ? [{ uid: row.uid, key: idempotencyKey }] : [];
    });
    const known = new Map((await knownBeats(writer, engine, keyed)).map((row) => [keyOf(row), row]));
    const book = new Book(writer, engine, sight.nowMs);
    const fresh: BeatKeyRow[] = [];
    const results = new Map<BeatCall, BeatResult>();
    const late = new Set<string>();
    // Bodies arrive in any order; what they say happened in one.
    for (const call of calls.toSorted((one, other) => one.receivedAt - other.receivedAt)) {
      const row = clocks.get(nameOf(call.address));
      results.set(call, row ? take(row, call, { book, sight, known, fresh, late }) : 'unknown');
    }
    await book.write();
    await insertBeatKeys(writer, engine, fresh);
    return calls.map((call) => results.get(call) ?? 'unknown');
  });
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
  const { receivedAt, idempotencyKey } = call;
  const before =
    idempotencyKey === null ? undefined : known.get(keyOf({ uid: row.uid, key: idempotencyKey }));
  if (before) return answerOf(row, before.beat_id, before.received_at);
  const unjudged = row.due_at !== null && row.due_at < receivedAt && row.due_at >= sight.othersUntil;
  if (unjudged || late.has(row.uid)) {
    late.add(row.uid);
    return 'later';
  }
  const out = noOutcome();
  const { clock, durationMs } = beat(
    clockOfRow(row),
    planOfRow(row),
    sight.gaps,
    { kind: call.kind, at: receivedAt, runId: call.runId },
    out,
  );
  const beatId = newId('beat', receivedAt);
  const moved = movedByBeat(row, clock);
  book.move(moved);
  book.record(row, clock, out);
  book.check({
    uid: row.uid,
    at: receivedAt,
    id: beatId,
    status: CHECK_STATUS[call.kind],
    error: call.kind === 'fail' ? (call.error ?? 'the job reported that it failed') : null,
    expected_at: row.expected_at,
    detected_at: sight.nowMs,
    received_at: receivedAt,
    duration_ms: durationMs,
    metadata_json: call.metadataJson,
    stands_for: 1,
  });
  if (idempotencyKey !== null) {
    const key = { uid: row.uid, key: idempotencyKey, beat_id: beatId, received_at: receivedAt };
    known.set(keyOf(key), key);
    fresh.push(key);
  }
  return answerOf(moved, beatId, receivedAt);
}

function answerOf(row: ClockRow, beatId: string, receivedAt: number): BeatAnswer {
  return {
    monitorId: row.id,
    beatId,
    receivedAt,
    status: statusOf(row.status),
    nextDueAt: row.expected_at,
  };
}

function keyOf({ uid, key }: { readonly uid: string; readonly key: string }): string {
  return `${uid}\n${key}`;
}

function nameOf(address: MonitorAddress): string {
  return 'id' in address ? `${address.orgId}\n${address.id}` : address.tokenHash;
}

function distinct(calls: readonly BeatCall[]): MonitorAddress[] {
  return [...new Map(calls.map(({ address }) => [nameOf(address), address])).values()];
}

/** Each clock under both of its names. */
function byAddress(rows: readonly ClockRow[]): Map<string, ClockRow> {
  return new Map(
    rows.flatMap((row): [string, ClockRow][] => [
      [`${row.org_id}\n${row.id}`, row],
      [row.token_hash, row],
    ]),
  );
}
