import type { PendingAlertDelivery } from '../store/alert-deliveries.ts';
import type { DatabaseReader } from '../store/store-interfaces.ts';
import type { Alert } from './alert.ts';
import type { AlertMessageContent } from './alert-message.ts';

/**
 * Determines until when alerts are muted by a muted monitor, a maintenance window or quiet hours. The result
 * contains only alerts that are muted. An alert that closes while it is muted is never sent.
 */
export type AlertMuteResolver = (
  reader: DatabaseReader,
  alerts: readonly Alert[],
  nowMs: number,
) => Promise<ReadonlyMap<Alert, number>>;

/** The next message to a channel, and the deliveries that it combines. */
export interface ComposedAlertMessage {
  /** The deliveries, in order. The message has the id of the first one. */
  readonly deliveries: readonly [PendingAlertDelivery, ...PendingAlertDelivery[]];
  readonly content: AlertMessageContent;
}
