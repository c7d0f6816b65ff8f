import type { NewAlertDeliveryRow, PendingAlertDelivery } from '../store/alert-deliveries.ts';
import type { DatabaseReader } from '../store/store-interfaces.ts';
import { type Alert, getAlertPhase } from './alert.ts';
import type { AlertMessageContent } from './alert-message.ts';
import { parseAlertRow } from './stored-alert.ts';

/**
 * When the delay of an alert ends, in Unix milliseconds. `obsolete` if the alert is about a missing first beat, and
 * the beat has since arrived.
 */
export type AlertMutedUntil = number | 'obsolete';

/**
 * Determines until when a muted monitor or a maintenance window delays alerts, and which alerts no longer apply. The
 * result contains no other alerts. An alert that has closed or no longer applies when its delay ends is never sent.
 */
export type AlertMuteResolver = (
  reader: DatabaseReader,
  alerts: readonly Alert[],
  nowMs: number,
) => Promise<ReadonlyMap<Alert, AlertMutedUntil>>;

/** The input for preparing the next message to a channel. */
export interface PrepareAlertMessageOptions {
  readonly channelId: string;
  /** Whether the receiver manages incidents (`ChannelDefinition.managesIncidents`). */
  readonly managesIncidents: boolean;
  readonly nowMs: number;
  readonly resolveMutes: AlertMuteResolver;
  /** Creates the deliveries that repeat an alert while it is open. */
  readonly createRepetitions: (
    deliveries: readonly PendingAlertDelivery[],
    nowMs: number,
  ) => readonly NewAlertDeliveryRow[];
}

/** The next message to a channel, and the deliveries that it combines. */
export interface PreparedAlertMessage {
  /** The deliveries, in order. The message has the id of the first one. */
  readonly deliveries: readonly [PendingAlertDelivery, ...PendingAlertDelivery[]];
  readonly content: AlertMessageContent;
}

/** A delivery that may be sent next. */
export interface DeliveryCandidate extends PendingAlertDelivery {
  readonly thread: string;
  readonly failureCount: number;
}

/** Combines a delivery with others in one message. */
export function combineDeliveries(
  first: DeliveryCandidate,
  others: readonly PendingAlertDelivery[],
): PreparedAlertMessage {
  const alert = parseAlertRow(first.alert);
  const content: AlertMessageContent = {
    id: first.delivery.id,
    thread: first.thread,
    phase: getAlertPhase(alert),
    repetition: first.delivery.repetition,
    failureCount: others.length === 0 ? first.failureCount : 1,
    alerts: [alert, ...others.map(({ alert }) => parseAlertRow(alert))],
  };
  return { deliveries: [first, ...others], content };
}

/** Returns whether a user requested that a delivery is sent again. */
export function isResendRequested({ delivery }: Pick<PendingAlertDelivery, 'delivery'>): boolean {
  return delivery.pending_reason === 'requested';
}
