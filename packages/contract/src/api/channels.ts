import * as z from 'zod';
import {
  createBaseUrlField,
  createEmailAddressListField,
  createHeaderSecretField,
  createMinutesField,
  createSecretField,
  createShortTextField,
  createShortTextListField,
  createSlugField,
  createWebUrlField,
} from '../config/fields.ts';
import { ALERT_EVENTS } from '../config/monitoring.ts';
import { createJsonValueField } from '../json-value.ts';
import { timeRangeListQuery, timestamp } from './page.ts';
import { resourceSource } from './resource-source.ts';

/** The kinds of channels, which are the values of `channels[].kind` in floe.yaml. */
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

/** Settings that are stored in the format of responses. */
const plain = {
  events: z
    .array(z.enum(ALERT_EVENTS))
    .min(1)
    .nullable()
    .describe('Events for which the channel receives alerts. `null` means all events.'),
  tags: createShortTextListField().describe(
    'Restricts alerts about monitors to monitors with one of these tags. If empty, tags do not restrict the alerts. Tags never restrict alerts about other subjects.',
  ),
  realert_minutes: createMinutesField(0).describe(
    'How often Floe repeats an alert while the problem lasts, in minutes. 0 means never. Other values must be at least 1. Alerts about budgets and about missing first beats are not repeated.',
  ),
  to: createEmailAddressListField()
    .nullable()
    .describe('Email addresses of the recipients, for the kind `email`.'),
  chat_id: createShortTextField().nullable().describe('Id of the chat, for the kind `telegram`.'),
  base_url: createBaseUrlField()
    .nullable()
    .describe('Base URL of the API, for the kinds `pagerduty` and `telegram`.'),
};

/**
 * The channel settings whose names and values are the same in the API and in the database. Absent settings get
 * their defaults.
 */
export const channelFieldsStoredAsIs = z.object({
  ...plain,
  events: plain.events.default(null),
  to: plain.to.default(null),
  chat_id: plain.chat_id.default(null),
  base_url: plain.base_url.default(null),
});

const settings = {
  name: createSlugField().describe(
    'Name of the channel, unique in the organization. Monitors refer to the channel by this name.',
  ),
  kind: z.enum(CHANNEL_KINDS).describe('Service that receives the messages.'),
  enabled: z.boolean().describe('`false` disables the channel: Floe sends no messages to it.'),
  ...plain,
};

const readOnly = {
  id: z.string(),
  url_origin: z
    .string()
    .nullable()
    .describe(
      'Scheme, host and port of `url`. The rest of the URL is a secret. `null` for kinds without the field `url`.',
    ),
  failures: z
    .int()
    .describe(
      'Number of consecutive failures since the last successful attempt. Floe counts a failed message once, but sets the number to at least 3 if it cannot connect to the receiver. At 3 or more, Floe counts each failed attempt.',
    ),
  backoff_until: timestamp
    .nullable()
    .describe(
      'Time until which Floe sends no messages to the channel because of failures. It can be in the past. `null` if the last attempt caused no wait.',
    ),
  source: resourceSource,
  created_at: timestamp,
  updated_at: timestamp,
  updated_by: z.string(),
};

/** A channel in the API format, without its secrets. */
export const channelResource = z.strictObject({ ...settings, ...readOnly }).meta({ id: 'Channel' });
export type Channel = z.output<typeof channelResource>;

const secrets = {
  url: createWebUrlField()
    .optional()
    .describe(
      'URL to which Floe sends messages, for the kinds `webhook`, `slack`, `discord`, `teams` and `ntfy`. Never returned.',
    ),
  secret: createSecretField()
    .nullable()
    .optional()
    .describe(
      'Secret that Floe uses to sign messages, for the kind `webhook`. Never returned. `null` removes it.',
    ),
  routing_key: createSecretField()
    .optional()
    .describe('Integration key, for the kind `pagerduty`. Never returned.'),
  token: createHeaderSecretField()
    .nullable()
    .optional()
    .describe('Access token, for the kind `ntfy`. Never returned. `null` removes it.'),
  bot_token: createSecretField()
    .optional()
    .describe('Access token of the bot, for the kind `telegram`. Never returned.'),
};

const optional = z.strictObject(settings).partial().shape;

/**
 * The request to create a channel. The floe.yaml schema checks the fields that its kind requires.
 */
export const channelCreation = z.strictObject({
  ...optional,
  name: settings.name,
  kind: settings.kind,
  ...secrets,
});

/**
 * The request to update a channel. Absent fields keep their values. Null clears a field. The kind
 * cannot change.
 */
export const channelPatch = z.strictObject({ ...optional, ...secrets }).omit({ kind: true });

/**
 * The request to replace a channel. It accepts the response of `GET`, including read-only fields.
 * Absent secrets keep their values.
 */
export const channelReplacement = z.strictObject({
  ...optional,
  name: settings.name.optional(),
  kind: settings.kind,
  ...secrets,
  ...z.strictObject(readOnly).partial().shape,
});

/** The result of sending a test message. */
export const channelTestResult = z
  .strictObject({
    ok: z.boolean(),
    status: z
      .int()
      .nullable()
      .describe(
        'HTTP status that the receiver returned, or SMTP status with which the mail server rejected the email. `null` if the email was accepted, if nothing was sent, or if the receiver did not respond.',
      ),
    error: z.string().nullable(),
    duration_ms: z.int(),
  })
  .meta({ id: 'ChannelTest' });

/** The states of an alert's delivery to a channel. */
export const ALERT_DELIVERY_STATES = ['pending', 'sent', 'failed', 'muted', 'skipped'] as const;

export const alertListQuery = timeRangeListQuery.extend({
  event: z.enum(ALERT_EVENTS).optional().describe('Only alerts for this event.'),
  subject: createShortTextField()
    .optional()
    .describe('Only alerts about the monitor, budget, breaker or credential with this id.'),
  channel: createShortTextField()
    .optional()
    .describe('Only alerts with a delivery to the channel with this name.'),
  state: z
    .enum(ALERT_DELIVERY_STATES)
    .optional()
    .describe('Only alerts with at least one delivery in this state.'),
});

const delivery = z
  .strictObject({
    id: z
      .string()
      .describe(
        'Id of the delivery. If `grouped_into` is `null`, this id is also the idempotency key of the message, and webhook requests contain it in the `webhook-id` header.',
      ),
    channel: z.string(),
    state: z.enum(ALERT_DELIVERY_STATES),
    pending_reason: z
      .enum(['muted', 'grouped', 'repeat', 'settling', 'requested'])
      .nullable()
      .describe(
        'Reason why a pending delivery waits. `muted`: the monitor is muted or in a maintenance window. `grouped`: Floe sends the alert in one message with others. `repeat`: the alert waits for its next repetition. `settling`: Floe waits before it sends a recovery alert, because the subject might fail again. `requested`: a caller requested a retry, and Floe sends the message even if the monitor is muted or in a maintenance window. `null` if there is no such reason.',
      ),
    repetition: z.int(),
    attempts: z.int(),
    due_at: timestamp,
    sent_at: timestamp.nullable(),
    status: z.int().nullable(),
    error: z.string().nullable(),
    grouped_into: z
      .string()
      .nullable()
      .describe(
        'Id of the delivery whose message includes this alert. `null` means that the alert has its own message.',
      ),
  })
  .meta({ id: 'AlertDelivery' });

/** An alert and its delivery state in each channel. */
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
    fields: z.record(z.string(), createJsonValueField()),
    closed_at: timestamp
      .nullable()
      .describe(
        'Time at which the alert ended. `null` while the alert is open, and for events without an end: `budget` and `monitor_never_beaten`.',
      ),
    deliveries: z.array(delivery),
  })
  .meta({ id: 'Alert' });
