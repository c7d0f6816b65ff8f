import * as z from 'zod';
import {
  baseUrlField,
  emailAddressListField,
  labelField,
  labelListField,
  secretField,
  slugField,
  webUrlField,
} from '../config/fields.ts';
import { ALERT_EVENTS } from '../config/monitoring.ts';
import { jsonValueField } from '../json-value.ts';
import { resourceSource } from './keys.ts';
import { rangeQuery, timestamp } from './page.ts';

/** Kinds of channels, as `channels[].kind` of floe.yaml. */
export const CHANNEL_KINDS = [
  'webhook',
  'slack',
  'discord',
  'teams',
  'email',
  'pagerduty',
  'ntfy',
  'telegram',
] as const;

/** Settings that are stored as they are shown. */
const plain = {
  events: z.array(z.enum(ALERT_EVENTS)).min(1).nullable().describe('Only these. Null: all.'),
  tags: labelListField().describe('Only monitors with one of these tags. Empty: all.'),
  realert_minutes: z.number().min(0).max(527_040).describe('Repeat while it lasts; 0: never.'),
  to: emailAddressListField().nullable().describe('`email`: recipients.'),
  chat_id: labelField().nullable().describe('`telegram`: the chat.'),
  base_url: baseUrlField().nullable().describe('`pagerduty`, `telegram`: where their API is.'),
};

/** The same of a stored channel, which leaves out what it does not have. */
export const storedChannelFields = z.object({
  ...plain,
  events: plain.events.default(null),
  to: plain.to.default(null),
  chat_id: plain.chat_id.default(null),
  base_url: plain.base_url.default(null),
});

const settings = {
  name: slugField().describe('Unique in the org; what monitors call it.'),
  kind: z.enum(CHANNEL_KINDS).describe('Service that receives the messages.'),
  enabled: z.boolean().describe('`false` sends nothing to this channel.'),
  ...plain,
};

const readOnly = {
  id: z.string(),
  url_origin: z.string().nullable().describe('Start of the address; the rest of it is a secret.'),
  failures: z.int().describe('Tries that failed since the last one that succeeded.'),
  backoff_until: timestamp.nullable().describe('After failures: nothing is sent before.'),
  source: resourceSource,
  created_at: timestamp,
  updated_at: timestamp,
  updated_by: z.string(),
};

/** A channel as every answer shows it: its secrets never. */
export const channelResource = z.strictObject({ ...settings, ...readOnly }).meta({ id: 'Channel' });
export type Channel = z.output<typeof channelResource>;

const secrets = {
  url: webUrlField().optional().describe('Where messages are posted. Never shown.'),
  secret: secretField().optional().describe('`webhook`: key of the signature. Never shown.'),
  routing_key: secretField().optional().describe('`pagerduty`. Never shown.'),
  token: secretField().optional().describe('`ntfy`. Never shown.'),
  bot_token: secretField().optional().describe('`telegram`. Never shown.'),
};

const optional = z.strictObject(settings).partial().shape;

/** What a kind needs is checked against the schema of floe.yaml. */
export const channelCreation = z.strictObject({
  ...optional,
  name: settings.name,
  kind: settings.kind,
  ...secrets,
});

/** Absent fields stay; null clears. The kind stays what it was. */
export const channelPatch = z.strictObject({ ...optional, ...secrets }).omit({ kind: true });

/** What `GET` returned, read-only fields included; secrets that are absent stay. */
export const channelReplacement = z.strictObject({
  ...optional,
  name: settings.name.optional(),
  kind: settings.kind,
  ...secrets,
  ...z.strictObject(readOnly).partial().shape,
});

export const channelTestResult = z
  .strictObject({
    ok: z.boolean(),
    status: z.int().nullable().describe('HTTP or SMTP status, if the receiver answered.'),
    error: z.string().nullable(),
    duration_ms: z.int(),
  })
  .meta({ id: 'ChannelTest' });

export const DELIVERY_STATES = ['pending', 'sent', 'failed', 'muted', 'skipped'] as const;

export const alertListQuery = rangeQuery.extend({
  event: z.enum(ALERT_EVENTS).optional().describe('Only alerts of this kind.'),
  subject: labelField().optional().describe('Id of the monitor, budget, breaker or credential.'),
  channel: labelField().optional().describe('Name of a channel.'),
  state: z.enum(DELIVERY_STATES).optional().describe('State of one of the deliveries.'),
});

const delivery = z
  .strictObject({
    id: z.string().describe('Idempotency key of the message; `webhook-id` of webhooks.'),
    channel: z.string(),
    state: z.enum(DELIVERY_STATES),
    pending_reason: z
      .enum(['muted', 'grouped', 'repeat', 'settling'])
      .nullable()
      .describe('Why a pending one waits.'),
    repetition: z.int(),
    attempts: z.int(),
    due_at: timestamp,
    sent_at: timestamp.nullable(),
    status: z.int().nullable(),
    error: z.string().nullable(),
    grouped_into: z.string().nullable().describe('The delivery whose message tells this one too.'),
  })
  .meta({ id: 'AlertDelivery' });

/** One alert, and what became of it in each channel. */
export const alertResource = z
  .strictObject({
    id: z.string(),
    at: timestamp,
    event: z.enum(ALERT_EVENTS),
    subject: z.strictObject({
      kind: z.enum(['monitor', 'budget', 'breaker', 'credential']),
      id: z.string(),
      name: z.string(),
    }),
    title: z.string(),
    fields: z.record(z.string(), jsonValueField()),
    closed_at: timestamp
      .nullable()
      .describe(
        'When it was over; null while it lasts. Always null for events without an end: `budget` and `monitor_never_beaten`.',
      ),
    deliveries: z.array(delivery),
  })
  .meta({ id: 'Alert' });
