import { newId } from '../core/ids.ts';
import type { BeatKeyRow, CheckRow, ClockRow } from '../store/monitoring/clock-row.ts';
import type { MonitorAddress } from '../store/monitoring/clocks.ts';
import { evaluationOf, type Gap, type MonitorStatus, type Outcome } from './clock.ts';
import { clockOfRow, movedByBeat, planOfRow, statusOf } from './clock-rows.ts';
import { type Beat, beat } from './state.ts';

/** A call of a job as it was received. */
export interface BeatCall {
  readonly address: MonitorAddress;
  readonly kind: Beat['kind'];
  /** When the request was received, in database time. */
  readonly receivedAt: number;
  /** It may have waited in the socket since then, while this process stood still; absent: it did not. */
  readonly heardFrom?: number;
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

/** What judging takes beside the clocks themselves. */
export interface Sight {
  readonly nowMs: number;
  readonly gaps: readonly Gap[];
  /** Other processes have committed what they accepted before this instant. */
  readonly othersUntil: number;
}

/** What one call makes of a clock, and of the history of its monitor. */
export interface Taken {
  readonly moved: ClockRow;
  readonly check: CheckRow;
  /** Null for a call without idempotency key. */
  readonly key: BeatKeyRow | null;
  readonly out: Outcome;
}

const CHECK_STATUS = { ok: 'ok', fail: 'failed', start: 'started', log: 'logged' } as const;

/** Applies a call to the clock of its monitor. Pure but for the new id. */
export function takeCall(row: ClockRow, call: BeatCall, { gaps, nowMs }: Sight): Taken {
  const { receivedAt, kind, runId, idempotencyKey } = call;
  const out = evaluationOf(planOfRow(row), gaps);
  const heardFrom = call.heardFrom ?? receivedAt;
  const { clock, durationMs } = beat(clockOfRow(row), out, { kind, at: receivedAt, runId, heardFrom });
  const beatId = newId('beat', receivedAt);
  const check: CheckRow = {
    uid: row.uid,
    at: receivedAt,
    id: beatId,
    status: CHECK_STATUS[kind],
    error: kind === 'fail' ? (call.error ?? 'the job reported that it failed') : null,
    expected_at: row.expected_at,
    detected_at: nowMs,
    received_at: receivedAt,
    duration_ms: durationMs,
    metadata_json: call.metadataJson,
    stands_for: 1,
  };
  const key =
    idempotencyKey === null
      ? null
      : { uid: row.uid, key: idempotencyKey, beat_id: beatId, received_at: receivedAt };
  return { moved: movedByBeat(row, clock), check, key, out };
}

export function answerOf(row: ClockRow, beatId: string, receivedAt: number): BeatAnswer {
  return {
    monitorId: row.id,
    beatId,
    receivedAt,
    status: statusOf(row.status),
    nextDueAt: row.expected_at,
  };
}

/** One text for one address. */
export function nameOf(address: MonitorAddress): string {
  return 'id' in address ? `${address.orgId}\n${address.id}` : address.tokenHash;
}

/** Both names of a monitor. */
export function namesOf(row: ClockRow): readonly string[] {
  return [`${row.org_id}\n${row.id}`, row.token_hash];
}

/** What happened in the order it happened in; bodies arrive in any. */
export function inOrder(calls: readonly BeatCall[]): BeatCall[] {
  return calls.toSorted((one, other) => one.receivedAt - other.receivedAt);
}
