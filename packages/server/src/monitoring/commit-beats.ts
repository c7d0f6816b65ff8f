import {
  insertBeatIdempotencyKeys,
  listUsedBeatIdempotencyKeys,
  lockReferencedMonitorStates,
  type MonitorReference,
} from '../store/monitoring/monitor-states.ts';
import type { BeatIdempotencyKeyRow, MonitorStateRow } from '../store/monitoring/monitoring-rows.ts';
import type { Database } from '../store/store-interfaces.ts';
import type { MonitorStateCache } from './monitor-state-cache.ts';
import { MonitoringUnitOfWork } from './monitoring-unit-of-work.ts';
import {
  applyReceivedBeat,
  type BeatEvaluationContext,
  type BeatReceipt,
  formatMonitorReferenceKey,
  listMonitorReferenceKeys,
  type ReceivedBeat,
  sortBeatsByReceivedAt,
  toBeatReceipt,
} from './received-beat.ts';

/**
 * The result of a beat: its receipt, `unknown` if there is no such monitor, or `later` if another process may
 * still have to write an older beat.
 */
export type BeatResult = BeatReceipt | 'unknown' | 'later';

/**
 * Applies a batch of beats in one transaction. Returns one result per beat, in the same order.
 *
 * @param states the cache to update with the new monitor states
 */
export async function commitBeats(
  database: Pick<Database, 'rowTransaction'>,
  calls: readonly ReceivedBeat[],
  context: BeatEvaluationContext,
  states?: MonitorStateCache,
): Promise<BeatResult[]> {
  const done = await database.rowTransaction(async (writer) => {
    const rows = await lockReferencedMonitorStates(writer, distinctAddresses(calls));
    const byName = indexByAddress(rows);
    const keyed = calls.flatMap(({ address, idempotencyKey }) => {
      const row = byName.get(formatMonitorReferenceKey(address));
      return row && idempotencyKey !== null ? [{ uid: row.uid, key: idempotencyKey }] : [];
    });
    const known = new Map(
      (await listUsedBeatIdempotencyKeys(writer, keyed)).map((row) => [beatKeyId(row), row]),
    );
    const unitOfWork = new MonitoringUnitOfWork(writer, context.nowMs);
    const fresh: BeatIdempotencyKeyRow[] = [];
    const results = new Map<ReceivedBeat, BeatResult>();
    const late = new Set<string>();
    for (const call of sortBeatsByReceivedAt(calls)) {
      const row = byName.get(formatMonitorReferenceKey(call.address));
      results.set(
        call,
        row
          ? applyInBatch(row, call, {
              unitOfWork,
              context,
              knownKeys: known,
              newKeys: fresh,
              deferredMonitors: late,
            })
          : 'unknown',
      );
    }
    await unitOfWork.write();
    await insertBeatIdempotencyKeys(writer, fresh);
    return { results, rows: rows.map((row) => unitOfWork.current(row)) };
  });
  for (const row of done.rows) states?.set(row);
  return calls.map((call) => done.results.get(call) ?? 'unknown');
}

interface BatchState {
  readonly unitOfWork: MonitoringUnitOfWork;
  readonly context: BeatEvaluationContext;
  readonly knownKeys: Map<string, BeatIdempotencyKeyRow>;
  readonly newKeys: BeatIdempotencyKeyRow[];
  /** The monitors with a deferred call. Later calls of these monitors must be deferred too. */
  readonly deferredMonitors: Set<string>;
}

function applyInBatch(
  read: MonitorStateRow,
  call: ReceivedBeat,
  { unitOfWork, context, knownKeys, newKeys, deferredMonitors }: BatchState,
): BeatResult {
  const row = unitOfWork.current(read);
  const { receivedAt, earliestReceivedAt = receivedAt, idempotencyKey } = call;
  const recorded =
    idempotencyKey === null ? undefined : knownKeys.get(beatKeyId({ uid: row.uid, key: idempotencyKey }));
  if (recorded) return toBeatReceipt(row, recorded.beat_id, recorded.received_at);
  const unjudged =
    row.due_at !== null && row.due_at < earliestReceivedAt && row.due_at >= context.peersCommittedUntil;
  if (unjudged || deferredMonitors.has(row.uid)) {
    deferredMonitors.add(row.uid);
    return 'later';
  }
  const { stateRow, check, key, changes } = applyReceivedBeat(row, call, context);
  unitOfWork.updateState(stateRow);
  unitOfWork.addHistory(row, changes);
  unitOfWork.addCheck(check);
  if (row.status === 'waiting' && stateRow.status !== 'waiting') unitOfWork.addFirstBeat(stateRow);
  if (key) {
    knownKeys.set(beatKeyId(key), key);
    newKeys.push(key);
  }
  return toBeatReceipt(stateRow, check.id, receivedAt);
}

function beatKeyId({ uid, key }: { readonly uid: string; readonly key: string }): string {
  return `${uid}\n${key}`;
}

function distinctAddresses(calls: readonly ReceivedBeat[]): MonitorReference[] {
  return [...new Map(calls.map(({ address }) => [formatMonitorReferenceKey(address), address])).values()];
}

/** Returns the state rows by map key. Each row has a key for its id and one for its token. */
function indexByAddress(rows: readonly MonitorStateRow[]): Map<string, MonitorStateRow> {
  return new Map(
    rows.flatMap((row) =>
      listMonitorReferenceKeys(row).map((name): [string, MonitorStateRow] => [name, row]),
    ),
  );
}
