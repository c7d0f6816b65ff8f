import { publishDeliveryOutcome } from '../store/alert-deliveries.ts';
import {
  type EndedFailure,
  listEndedFailures,
  restoreSkippedRecoveries,
  type SkippedAlertDelivery,
  skipAlertDeliveries,
} from '../store/ended-failures.ts';
import type { DatabaseWriter } from '../store/store-interfaces.ts';
import { UNREPORTED_REOPENING_REASON } from './unreported-reopening.ts';

/** Why a failure and its recovery are not sent. */
const ENDED_WHILE_WAITING_REASON = 'the alert ended while an earlier message about its subject was waiting';

/**
 * Skips unsent failures that the given alerts end, if an earlier message about the same subject waits. The number of
 * messages about a subject that wait for a channel is therefore at most three, however often the subject fails while the
 * receiver is down: the first failure, its recovery, and a failure that continues.
 */
export async function skipEndedFailures(
  writer: DatabaseWriter,
  closingAlertIds: readonly string[],
  nowMs: number,
): Promise<void> {
  const failures = await listEndedFailures(writer, closingAlertIds, nowMs);
  const skips = new EndedFailureSkips();
  for (const failure of failures) skips.add(failure);
  await skipAlertDeliveries(writer, [...skips.deliveries.values()]);
  for (const { orgId, channel, alerts } of skips.channels.values())
    await publishDeliveryOutcome(writer, alerts, { orgId, channel, state: 'skipped', at: nowMs });
}

/**
 * The given recoveries are not sent after all. For each one, makes the newest recovery due that was skipped because of
 * it.
 */
export function sendSkippedRecoveries(
  writer: DatabaseWriter,
  abandonedIds: readonly string[],
  nowMs: number,
): Promise<void> {
  return restoreSkippedRecoveries(writer, abandonedIds, { error: ENDED_WHILE_WAITING_REASON, dueAt: nowMs });
}

interface ChannelSkips {
  readonly orgId: string;
  readonly channel: string;
  readonly alerts: { readonly alert_id: string }[];
}

/** Decides about each failure as if the decisions about the previous failures were already stored. */
class EndedFailureSkips {
  readonly deliveries = new Map<string, SkippedAlertDelivery>();
  /** The skipped alerts of each channel. */
  readonly channels = new Map<string, ChannelSkips>();
  /** The states of the messages that contain skipped deliveries. */
  readonly #threadStates = new Map<string, string>();

  add(failure: EndedFailure): void {
    const { opening_id, opening_alert_id, closing_id, closing_alert_id } = failure;
    const thread = this.#threadOf(failure);
    const { recovery_id, recovery_alert_id } = failure;
    const isRecoveryWaiting =
      recovery_id !== null && failure.recovery_state === 'pending' && !this.deliveries.has(recovery_id);
    // The receiver knows that the subject failed, and receives the newer recovery.
    if (isRecoveryWaiting && failure.is_recovery_unsent && closing_id !== null && thread?.state === 'sent') {
      const change = { error: UNREPORTED_REOPENING_REASON, grouped_into: thread.id };
      this.#skip(failure, { id: recovery_id, ...change }, recovery_alert_id);
      this.#skip(failure, { id: opening_id, ...change }, opening_alert_id);
      this.#threadStates.set(thread.id, thread.state);
      return;
    }
    const recovery = isRecoveryWaiting ? recovery_id : this.#skippedFor(failure);
    const waiting = recovery ?? pendingOf(thread);
    if (waiting === null) return;
    const error = ENDED_WHILE_WAITING_REASON;
    const { id, state } = thread ?? { id: waiting, state: 'pending' };
    this.#threadStates.set(id, state);
    this.#skip(failure, { id: opening_id, error, grouped_into: id }, opening_alert_id);
    // If only a failure waits, the receiver must receive a recovery after it.
    if (closing_id !== null && recovery !== null)
      this.#skip(failure, { id: closing_id, error, grouped_into: recovery }, closing_alert_id);
  }

  #skip(
    { channel_id, channel_name, org_id }: EndedFailure,
    delivery: SkippedAlertDelivery,
    alertId: string | null,
  ): void {
    this.deliveries.set(delivery.id, delivery);
    if (alertId === null) return;
    const known = this.channels.get(channel_id);
    if (known) known.alerts.push({ alert_id: alertId });
    else
      this.channels.set(channel_id, {
        orgId: org_id,
        channel: channel_name,
        alerts: [{ alert_id: alertId }],
      });
  }

  /** Returns the message that contains the previous failure. */
  #threadOf({ failure_id, failure_thread, failure_thread_state }: EndedFailure) {
    if (failure_id === null || failure_thread === null) return null;
    const id = this.deliveries.get(failure_id)?.grouped_into ?? failure_thread;
    return { id, state: this.#threadStates.get(id) ?? failure_thread_state ?? '' };
  }

  /** Returns the recovery because of which the previous recovery was skipped, if it still waits. */
  #skippedFor({ recovery_id, recovery_error, recovery_group, recovery_group_state }: EndedFailure) {
    const skipped = recovery_id === null ? undefined : this.deliveries.get(recovery_id);
    if ((skipped?.error ?? recovery_error) !== ENDED_WHILE_WAITING_REASON) return null;
    if (skipped) return skipped.grouped_into;
    return recovery_group_state === 'pending' ? recovery_group : null;
  }
}

function pendingOf(thread: { readonly id: string; readonly state: string } | null): string | null {
  return thread?.state === 'pending' ? thread.id : null;
}
