import type { Generated } from 'kysely';

/**
 * The table of channels. Channels from floe.yaml are stored too, so that every process can deliver
 * to them.
 */
export interface ChannelsTable {
  id: string;
  org_id: string;
  /** Unique in the organization. */
  name: string;
  /** webhook, slack, discord, teams, email, pagerduty, ntfy or telegram. */
  kind: string;
  /** Settings that may be shown: events, tags, realert_minutes, recipients. */
  settings_json: string;
  /** Origin of the URL, for display. Null for kinds without a configurable URL. */
  url_origin: string | null;
  /** JSON of the encrypted secrets, such as URLs with tokens. Null if there are none. */
  secrets_sealed: string | null;
  /** Increased with every change of `secrets_sealed`. `secrets_sealed` is bound to this number. */
  secrets_version: number;
  enabled: number;
  /** `file` or `console`. */
  source: string;
  source_file?: string | null | undefined;
  source_line: number | null;
  created_at: number;
  updated_at: number;
  updated_by: string;
  /** The process that delivers to the channel. Others wait until `leased_until`. */
  leased_by: string | null;
  leased_until: number;
  /** When the next message may be sent at the earliest. Set when the receiver failed. */
  backoff_until: number;
  /** Failed attempts since the last success. */
  failures: number;
}

/** The alert outbox. An alert is written in the same transaction as the change that causes it. */
export interface AlertsTable {
  /**
   * Position in the order in which alerts were recorded. Times do not define this order, because clocks of
   * machines differ.
   */
  seq: Generated<number>;
  id: string;
  org_id: string;
  idempotency_key: string;
  at: number;
  event: string;
  /** `opens`, `closes` or `tells`: the alert reports a new problem, reports its end, or only informs. */
  phase: string;
  subject_kind: string;
  subject_id: string;
  subject_name: string;
  fields_json: string;
  /**
   * Names of the channels that receive the alert. Null for every channel of the organization that subscribes
   * to the event.
   */
  channels_json: string | null;
  /** When the deliveries were created. Null until then. */
  routed_at: number | null;
  /** When the reported problem ended. Null while it continues, and for events without an end. */
  closed_at: number | null;
}

/** The alert deliveries. Each row is the delivery of one alert to one channel. */
export interface AlertDeliveriesTable {
  seq: Generated<number>;
  id: string;
  org_id: string;
  alert_id: string;
  alert_seq: number;
  channel_id: string;
  /** Name of the channel when the delivery was created. The channel may have been deleted since. */
  channel_name: string;
  /** 0 for the first message, n for the n-th repetition. */
  repetition: number;
  /** `pending`, `sent`, `failed`, `muted` or `skipped`. */
  state: string;
  /**
   * Why a pending delivery waits until `due_at`: `muted`, `grouped` (alerts are being combined into one
   * message), `repeat` or `settling`.
   */
  pending_reason: string | null;
  /**
   * When the delivery was created. After a failed attempt, the time of the first attempt. The time
   * limit of all attempts is measured from this time.
   */
  created_at: number;
  /** When the delivery may be sent at the earliest. */
  due_at: number;
  attempts: number;
  sent_at: number | null;
  /** HTTP or SMTP status of the last attempt. */
  status: number | null;
  /** Why the last attempt failed, why the delivery was never sent, or which recipients did not get it. */
  error: string | null;
  /** Id of the delivery whose message contains this one. */
  grouped_into: string | null;
}
