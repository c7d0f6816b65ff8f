import { createId } from '../core/ids.ts';
import type { MonitorReference } from '../store/monitoring/monitor-states.ts';
import type { MonitoringGap } from '../store/monitoring/monitoring-liveness-values.ts';
import type {
  BeatIdempotencyKeyRow,
  MonitorCheckRow,
  MonitorStateRow,
} from '../store/monitoring/monitoring-rows.ts';
import {
  createMonitorStateEvaluation,
  type MonitorHistoryChanges,
  type MonitorStatus,
} from './monitor-state.ts';
import {
  buildStateRowAfterBeat,
  parseMonitorState,
  parseMonitorStatus,
  parseMonitorTiming,
} from './monitor-state-columns.ts';
import { applyBeatEvent, type BeatEvent } from './monitor-state-events.ts';

/** A beat as Floe received it. */
export interface ReceivedBeat {
  readonly address: MonitorReference;
  readonly kind: BeatEvent['kind'];
  /** Time at which the request was received, in database time. */
  readonly receivedAt: number;
  /**
   * Earliest time at which the request may have arrived, if it waited in the socket while this process was
   * blocked. Absent if it did not wait.
   */
  readonly earliestReceivedAt?: number;
  readonly runId: string | null;
  /**
   * Requests for one monitor with the same key count as one beat. Reports of different kinds have different keys. Null
   * if the request has no key.
   */
  readonly idempotencyKey: string | null;
  readonly metadataJson: string | null;
  /** The error that the job reports. Null if it reports no failure. */
  readonly error: string | null;
}

/** The response to a beat that was committed. */
export interface BeatReceipt {
  readonly monitorId: string;
  readonly beatId: string;
  readonly receivedAt: number;
  readonly status: MonitorStatus;
  /** When the next beat is expected. Null if none is expected. */
  readonly nextExpectedAt: number | null;
}

/** The gaps and times that are needed to evaluate beats, in addition to the monitors' state. */
export interface BeatEvaluationContext {
  readonly nowMs: number;
  readonly gaps: readonly MonitoringGap[];
  /** The time before which all other processes have committed the beats that they accepted. */
  readonly peersCommittedUntil: number;
}

/** The effect of one beat on its monitor's state and history. */
export interface AppliedBeat {
  readonly stateRow: MonitorStateRow;
  readonly check: MonitorCheckRow;
  /** Null for a beat without an idempotency key. */
  readonly key: BeatIdempotencyKeyRow | null;
  readonly changes: MonitorHistoryChanges;
}

const CHECK_STATUS = { ok: 'ok', fail: 'failed', start: 'started', log: 'logged' } as const;

/**
 * Applies a beat to its monitor's state, and returns the effect. Has no side effects. Generates the id of the
 * beat.
 */
export function applyReceivedBeat(
  row: MonitorStateRow,
  call: ReceivedBeat,
  { gaps, nowMs }: BeatEvaluationContext,
): AppliedBeat {
  const { receivedAt, kind, runId, idempotencyKey } = call;
  const evaluation = createMonitorStateEvaluation(parseMonitorTiming(row), gaps);
  const heardFrom = call.earliestReceivedAt ?? receivedAt;
  const { state, durationMs, expectedAt } = applyBeatEvent(parseMonitorState(row), evaluation, {
    kind,
    at: receivedAt,
    runId,
    earliestReceivedAt: heardFrom,
  });
  const beatId = createId('beat', receivedAt);
  const check: MonitorCheckRow = {
    uid: row.uid,
    at: receivedAt,
    id: beatId,
    status: CHECK_STATUS[kind],
    error: kind === 'fail' ? (call.error ?? 'the job reported that it failed') : null,
    expected_at: expectedAt,
    detected_at: nowMs,
    received_at: receivedAt,
    duration_ms: durationMs,
    metadata_json: call.metadataJson,
    missed_count: 1,
  };
  const key =
    idempotencyKey === null
      ? null
      : { uid: row.uid, key: idempotencyKey, beat_id: beatId, received_at: receivedAt };
  return { stateRow: buildStateRowAfterBeat(row, state), check, key, changes: evaluation };
}

/** Returns the receipt for a committed beat, from the monitor's state after the beat. */
export function toBeatReceipt(row: MonitorStateRow, beatId: string, receivedAt: number): BeatReceipt {
  return {
    monitorId: row.id,
    beatId,
    receivedAt,
    status: parseMonitorStatus(row.status),
    nextExpectedAt: row.expected_at,
  };
}

/** Returns a text that identifies the referenced monitor, for use as a map key. */
export function formatMonitorReferenceKey(address: MonitorReference): string {
  return 'id' in address ? `${address.orgId}\n${address.id}` : address.tokenHash;
}

/**
 * Returns the two map keys of a monitor. One contains its organization and id. The other is the hash of its
 * beat URL token. For a beat, `formatMonitorReferenceKey` returns one of them.
 */
export function listMonitorReferenceKeys(row: MonitorStateRow): readonly string[] {
  return [`${row.org_id}\n${row.id}`, row.token_hash];
}

/**
 * Sorts beats by the time at which they were received. Beats can be queued in another order, because their
 * bodies may arrive later.
 */
export function sortBeatsByReceivedAt(calls: readonly ReceivedBeat[]): ReceivedBeat[] {
  return calls.toSorted((one, other) => one.receivedAt - other.receivedAt);
}

/** Limits the times of receipt to `nowMs`, for beats that waited while the clock was set back. */
export function clampReceivedAt(calls: readonly ReceivedBeat[], nowMs: number): readonly ReceivedBeat[] {
  if (calls.every(({ receivedAt }) => receivedAt <= nowMs)) return calls;
  return calls.map((call) => {
    if (call.receivedAt <= nowMs) return call;
    const { earliestReceivedAt: earliest } = call;
    const limited = earliest === undefined ? {} : { earliestReceivedAt: Math.min(earliest, nowMs) };
    return { ...call, ...limited, receivedAt: nowMs };
  });
}
