import type { AlertRow } from '../store/alerts.ts';
import { type Alert, type AlertPhase, getAlertPhase } from './alert.ts';

/** An alert in the outbox. */
export interface StoredAlert {
  readonly id: string;
  readonly seq: number;
  readonly alert: Alert;
  readonly phase: AlertPhase;
  /** When the reported problem ended, in Unix milliseconds. Null while it continues. */
  readonly closedAt: number | null;
}

/** Converts an outbox row to an alert. */
export function toStoredAlert(row: AlertRow): StoredAlert {
  const alert = parseAlertRow(row);
  return { id: row.id, seq: row.seq, alert, phase: getAlertPhase(alert), closedAt: row.closed_at };
}

/**
 * Parses the alert in an outbox row. Does not validate it, because only `enqueueAlert` writes such rows, and
 * it accepts only an `Alert`.
 */
export function parseAlertRow(row: AlertRow): Alert {
  return {
    orgId: row.org_id,
    event: row.event,
    subject: { kind: row.subject_kind, id: row.subject_id, name: row.subject_name },
    idempotencyKey: row.idempotency_key,
    at: row.at,
    fields: JSON.parse(row.fields_json),
    channels: row.channels_json === null ? null : JSON.parse(row.channels_json),
  } as Alert;
}
