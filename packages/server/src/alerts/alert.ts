import type { ALERT_EVENTS } from '@floe/contract/config/monitoring';
import { createId } from '../core/ids.ts';
import { insertAlerts, type NewAlertRow } from '../store/alerts.ts';
import type { DatabaseWriter } from '../store/store-interfaces.ts';

export type AlertEvent = (typeof ALERT_EVENTS)[number];

/** The resource that an alert is about. */
export interface AlertSubject {
  readonly kind: 'monitor' | 'budget' | 'breaker' | 'credential';
  /** Stable id of the subject. A closing alert finds the opening alert by kind and id. */
  readonly id: string;
  readonly name: string;
}

/** The fields of each alert event. Times are in Unix milliseconds. */
export interface AlertFieldsByEvent {
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
    /** Set if the failure ended because the monitor was paused. */
    readonly paused?: boolean;
    /** Set if the failure ended because the monitor was deleted. */
    readonly deleted?: boolean;
  };
  readonly monitor_never_beaten: {
    readonly waitingSinceMs: number;
    readonly tags: readonly string[];
    readonly description?: string;
  };
  readonly budget: {
    /**
     * Id of the budget. The subject of the alert is one period of the budget for one scope. Absent in old
     * alerts.
     */
    readonly budgetId?: string;
    /** The share of the budget that was spent: 0.5, 0.8 or 1. */
    readonly share: number;
    readonly spentNanoUsd: number;
    readonly limitNanoUsd: number;
    readonly period: string;
    /** Whether the budget rejects requests when it is used up (`hard`) or only sends alerts (`soft`). */
    readonly mode: 'hard' | 'soft';
    readonly resetsAtMs: number | null;
  };
  readonly breaker: {
    /** `closed` ends an `open` alert of the same subject. */
    readonly state: 'open' | 'closed';
    readonly sinceMs: number;
    readonly error?: string;
  };
  readonly credential: {
    /** `good` ends a `bad` alert of the same subject. */
    readonly state: 'bad' | 'good';
    readonly sinceMs: number;
    readonly error?: string;
  };
}

interface AlertOf<Event extends AlertEvent> {
  readonly orgId: string;
  readonly event: Event;
  readonly subject: AlertSubject;
  /** If several alerts of an organization have the same key, only the first one is stored. */
  readonly idempotencyKey: string;
  /** Time of the event in Unix milliseconds. */
  readonly at: number;
  readonly fields: AlertFieldsByEvent[Event];
  /**
   * Names of the channels that receive the alert. Null for every channel of the organization that subscribes
   * to the event.
   */
  readonly channels: readonly string[] | null;
}

/** A message about an event, which Floe sends to channels. */
export type Alert = { readonly [Event in AlertEvent]: AlertOf<Event> }[AlertEvent];

/**
 * Writes an alert to the outbox in the transaction that makes the change. If the transaction is committed,
 * the alert is sent at least once, about a second later. An alert is ignored if its idempotency key was used
 * before. Alerts about one subject are sent in the order of the calls. `monitor_recovered`, a `closed`
 * breaker and a `good` credential close an earlier alert about the same subject, and are sent only to
 * channels that received the earlier alert.
 */
export function enqueueAlert(writer: DatabaseWriter, alert: Alert): Promise<void> {
  return enqueueAlerts(writer, [alert]);
}

/** Writes many alerts in the same way as `enqueueAlert`, with one statement per 1,000 alerts. */
export function enqueueAlerts(writer: DatabaseWriter, alerts: readonly Alert[]): Promise<void> {
  return insertAlerts(writer, alerts.map(toAlertRow));
}

/** Whether an alert reports a new problem, reports its end, or only informs. */
export type AlertPhase = 'opens' | 'closes' | 'info';

/** Returns an alert's phase. It is `info` for events that have no end. */
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

/** Returns the tags of the monitor that an alert is about. Empty for other subjects. */
export function getAlertTags(alert: Alert): readonly string[] {
  return 'tags' in alert.fields ? alert.fields.tags : [];
}

function toAlertRow(alert: Alert): NewAlertRow {
  return {
    id: createId('alr', alert.at),
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
