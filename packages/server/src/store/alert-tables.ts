import type { Generated } from 'kysely';

/** Where alerts go. Rows of floe.yaml stand here too, so that every process can deliver to them. */
export interface ChannelsTable {
  id: string;
  org_id: string;
  /** Unique in the org; what monitors and the file call it. */
  name: string;
  /** webhook, slack, discord, teams, email, pagerduty, ntfy or telegram. */
  kind: string;
  /** What may be shown: events, tags, realert_minutes, recipients. */
  settings_json: string;
  /** Start of the address messages go to, for people; null for kinds without one of their own. */
  url_origin: string | null;
  /** JSON of what must never be shown (addresses with tokens, keys), sealed; null when there is none. */
  secrets_sealed: string | null;
  /** Rises with every change of `secrets_sealed`, to which it is bound. */
  secrets_version: number;
  enabled: number;
  /** `file` when it stands in floe.yaml, else `console`. */
  source: string;
  source_file?: string | null | undefined;
  source_line: number | null;
  created_at: number;
  updated_at: number;
  updated_by: string;
  /** The process that delivers to it now; others keep away until `leased_until`. */
  leased_by: string | null;
  leased_until: number;
  /** Nothing is sent before: a receiver that failed is left alone for a while. */
  backoff_until: number;
  /** Tries that failed since the last one that succeeded. */
  failures: number;
}

/** The outbox: what happened and somebody should hear of. Written in the transaction of the change. */
export interface AlertsTable {
  /** Order of recording; times of several machines are no order. */
  seq: Generated<number>;
  id: string;
  org_id: string;
  idempotency_key: string;
  at: number;
  event: string;
  /** opens, closes or tells: whether it begins something that lasts, ends it, or neither. */
  phase: string;
  subject_kind: string;
  subject_id: string;
  subject_name: string;
  fields_json: string;
  /** Names of the channels that are told; null for every channel of the org that listens. */
  channels_json: string | null;
  /** When deliveries were made of it; null while it waits. */
  routed_at: number | null;
  /** When what it reports was over; null while it lasts, and for what has no end. */
  closed_at: number | null;
}

/** One message owed to one channel. */
export interface AlertDeliveriesTable {
  seq: Generated<number>;
  id: string;
  org_id: string;
  alert_id: string;
  alert_seq: number;
  channel_id: string;
  /** As it was called then; the channel may be gone. */
  channel_name: string;
  /** 0 for the first message, n for the n-th repetition while it lasts. */
  repetition: number;
  /** pending, sent, failed, muted or skipped. */
  state: string;
  /** Why a pending one waits for `due_at`: muted, grouped (a storm is gathered), repeat or settling. */
  pending_reason: string | null;
  created_at: number;
  /** Not sent before. */
  due_at: number;
  attempts: number;
  sent_at: number | null;
  /** HTTP or SMTP status of the last try. */
  status: number | null;
  /** Why the last try failed, or why it was never sent. */
  error: string | null;
  /** Id of the delivery whose message tells this one too. */
  grouped_into: string | null;
}
