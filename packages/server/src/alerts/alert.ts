import type { ALERT_EVENTS } from '@floe/contract/config/monitoring';
import { newId } from '../core/ids.ts';
import { insertAlerts, type NewAlertRow } from '../store/alerts.ts';
import type { DatabaseWriter } from '../store/ports.ts';

export type AlertEvent = (typeof ALERT_EVENTS)[number];

/** What an alert is about. */
export interface AlertSubject {
  readonly kind: 'monitor' | 'budget' | 'breaker' | 'credential';
  /** Stable: an alert that says it is over finds the one that said it began by kind and id. */
  readonly id: string;
  readonly name: string;
}

/** What is known, by event. Instants are milliseconds since the epoch. */
export interface AlertFields {
  readonly monitor_failing: {
    readonly error: string;
    readonly failingSinceMs: number;
    readonly lastBeatMs: number | null;
    readonly tags: readonly string[];
    readonly description?: string;
  };
  readonly monitor_recovered: {
    readonly failingSinceMs: number;
    readonly downtimeMs: number;
    readonly tags: readonly string[];
    /** It did not call in: somebody paused it. */
    readonly paused?: boolean;
    /** It did not call in: the monitor was deleted. */
    readonly deleted?: boolean;
  };
  readonly monitor_never_beaten: {
    readonly waitingSinceMs: number;
    readonly tags: readonly string[];
    readonly description?: string;
  };
  readonly budget: {
    /** The budget, of which the subject is what one period of one spender used; absent in old alerts. */
    readonly budgetId?: string;
    /** Part of the limit that is spent: 0.5, 0.8, 1. */
    readonly share: number;
    readonly spentNanoUsd: number;
    readonly limitNanoUsd: number;
    readonly period: string;
    /** `hard` budgets refuse requests when they are spent. */
    readonly mode: 'hard' | 'soft';
    readonly resetsAtMs: number | null;
  };
  readonly breaker: {
    /** `closed` says that an `open` one of the same subject is over. */
    readonly state: 'open' | 'closed';
    readonly sinceMs: number;
    readonly error?: string;
  };
  readonly credential: {
    /** `good` says that a `bad` one of the same subject is over. */
    readonly state: 'bad' | 'good';
    readonly sinceMs: number;
    readonly error?: string;
  };
}

interface AlertOf<Event extends AlertEvent> {
  readonly orgId: string;
  readonly event: Event;
  readonly subject: AlertSubject;
  /** Of several alerts of an org with one key, the first is the alert. */
  readonly idempotencyKey: string;
  /** When it happened. */
  readonly at: number;
  readonly fields: AlertFields[Event];
  /** Names of channels; null: every channel of the org that listens to the event. */
  readonly channels: readonly string[] | null;
}

/** Something that happened and that people should hear of. */
export type Alert = { readonly [Event in AlertEvent]: AlertOf<Event> }[AlertEvent];

/**
 * Puts an alert into the outbox, inside the transaction of the change it tells of: it is sent if, and only
 * if, that commits; at least once, about a second later. The same idempotency key twice is one alert.
 *
 * Order: alerts of one subject are told in the order of their `enqueue`. `monitor_recovered`, a `closed`
 * breaker and a `good` credential end what their subject began before; they are told only where that was.
 */
export function enqueueAlert(writer: DatabaseWriter, alert: Alert): Promise<void> {
  return enqueueAlerts(writer, [alert]);
}

/** As `enqueue`, for many: a statement per 1,000. */
export function enqueueAlerts(writer: DatabaseWriter, alerts: readonly Alert[]): Promise<void> {
  return insertAlerts(writer, alerts.map(toAlertRow));
}

/** Whether an alert begins something that lasts, ends it, or neither. */
export type AlertPhase = 'opens' | 'closes' | 'info';

export function getAlertPhase(alert: Alert): AlertPhase {
  switch (alert.event) {
    case 'monitor_failing':
      return 'opens';
    case 'monitor_recovered':
      return 'closes';
    case 'breaker':
      return alert.fields.state === 'open' ? 'opens' : 'closes';
    case 'credential':
      return alert.fields.state === 'bad' ? 'opens' : 'closes';
    default:
      return 'info';
  }
}

/** What an alert says of its tags; only monitors have any. */
export function getAlertTags(alert: Alert): readonly string[] {
  return 'tags' in alert.fields ? alert.fields.tags : [];
}

function toAlertRow(alert: Alert): NewAlertRow {
  return {
    id: newId('alr', alert.at),
    org_id: alert.orgId,
    idempotency_key: alert.idempotencyKey,
    at: alert.at,
    event: alert.event,
    phase: getAlertPhase(alert),
    subject_kind: alert.subject.kind,
    subject_id: alert.subject.id,
    subject_name: alert.subject.name,
    fields_json: JSON.stringify(alert.fields),
    channels_json: alert.channels && JSON.stringify(alert.channels),
    routed_at: null,
    closed_at: null,
  };
}
