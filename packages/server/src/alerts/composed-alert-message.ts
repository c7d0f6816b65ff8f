import type { PendingAlertDelivery } from '../store/alert-deliveries.ts';
import type { DatabaseReader } from '../store/ports.ts';
import type { Alert } from './alert.ts';
import type { AlertNoticeContent } from './alert-notice.ts';

/**
 * Returns until when each alert is muted by a muted monitor, a maintenance window or quiet hours.
 * Alerts that may be sent are not in the result. An alert that closes while it is muted is never
 * sent.
 */
export type AlertMuteResolver = (
  reader: DatabaseReader,
  alerts: readonly Alert[],
  nowMs: number,
) => Promise<ReadonlyMap<Alert, number>>;

/** The next message to a channel, and the deliveries that it combines. */
export interface ComposedAlertMessage {
  /** The message has the id of the first delivery. */
  readonly deliveries: readonly [PendingAlertDelivery, ...PendingAlertDelivery[]];
  readonly content: AlertNoticeContent;
}
