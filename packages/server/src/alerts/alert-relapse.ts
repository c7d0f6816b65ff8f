import type { PendingAlertDelivery } from '../store/alert-deliveries.ts';

/** Why the messages about a recovery and the following failure are not sent. */
export const RELAPSE_REASON = 'the alert reopened before its recovery was sent';

/** Returns whether no attempt was made to send a message. */
export const isFirstTry = ({ delivery }: PendingAlertDelivery) => delivery.attempts === 0;

/** Returns whether a failure follows a recovery and no attempt was made to send either of them. */
export function isRelapse(end: PendingAlertDelivery, following: PendingAlertDelivery): boolean {
  return (
    isFirstTry(end) &&
    isFirstTry(following) &&
    following.alert.phase === 'opens' &&
    following.delivery.repetition === 0 &&
    following.delivery.grouped_into === null
  );
}
