import type { PendingAlertDelivery } from '../store/alert-deliveries.ts';

/** Why the messages about a recovery and the following failure are not sent. */
export const UNREPORTED_REOPENING_REASON = 'the alert reopened before its recovery was sent';

/** Returns whether no attempt has been made yet to send the message of a delivery. */
export const hasNoAttempts = ({ delivery }: PendingAlertDelivery) => delivery.attempts === 0;

/**
 * Returns whether a failure follows a recovery, and no attempt was made to send the message about either of
 * them.
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
