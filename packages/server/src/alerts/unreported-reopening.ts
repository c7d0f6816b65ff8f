import type { PendingAlertDelivery } from '../store/alert-deliveries.ts';

/** Why the messages about a recovery and the following failure are not sent. */
export const UNREPORTED_REOPENING_REASON = 'the alert reopened before its recovery was sent';

/** Returns whether no attempt has been made yet to send the message of a delivery. */
export const hasNoAttempts = ({ delivery }: PendingAlertDelivery) => delivery.attempts === 0;

/**
 * Returns whether `following` reports a new failure, and neither it nor the recovery `end` has had a delivery attempt.
 * Returns false if `following` is a repetition or is grouped into another message. `end` must be a recovery.
 */
export function isUnreportedReopening(end: PendingAlertDelivery, following: PendingAlertDelivery): boolean {
  return (
    hasNoAttempts(end) &&
    hasNoAttempts(following) &&
    following.alert.phase === 'opens' &&
    following.delivery.repetition === 0 &&
    following.delivery.grouped_into === null
  );
}
