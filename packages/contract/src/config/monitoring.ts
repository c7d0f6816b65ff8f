import * as z from 'zod';
import {
  createBaseUrlField,
  createCrossFieldCheck,
  createEmailAddressListField,
  createHeaderSecretField,
  createMinutesField,
  createPositiveCountField,
  createSecretField,
  createShortTextField,
  createShortTextListField,
  createSlugField,
  createTimestampField,
  createTimezoneField,
  createWebUrlField,
} from './fields.ts';

/** Five or six fields of cron characters, or a macro. The schedule engine validates the details. */
const CRON =
  /^(@(yearly|annually|monthly|weekly|daily|midnight|hourly)|[\dA-Za-z*/,?#-]+( +[\dA-Za-z*/,?#-]+){4,5})$/;

/** A cron schedule with its time zone. */
export const ScheduleSchema = z.strictObject({
  cron: z
    .string()
    .max(200)
    .regex(CRON, 'must be a cron expression such as 0 3 * * *, or a macro such as @daily')
    .describe(
      'Cron expression with five fields, such as `0 3 * * *`, or with a sixth field for seconds at the start, or a macro such as `@daily`.',
    ),
  timezone: createTimezoneField()
    .optional()
    .describe('Time zone of the cron expression. Defaults to the organization’s time zone.'),
});

/** The monitor settings whose names and values are the same in the API and in the database columns. */
export const SHARED_MONITOR_FIELDS = {
  name: createShortTextField().describe('Display name in lists and messages.'),
  description: z.string().max(2_000).describe('What the job does, or what to do when the job fails.'),
  alert_after_misses: createPositiveCountField().describe(
    'Number of consecutive missed beats after which Floe sends an alert.',
  ),
};

/** The monitor fields that the database stores exactly as floe.yaml contains them, with the same defaults. */
export const monitorFieldsStoredAsIs = z.object({
  name: z.string(),
  description: z.string().default(''),
  alert_after_misses: z.number().default(1),
});

/** A monitor in floe.yaml. */
export const MonitorSchema = z
  .strictObject({
    id: createSlugField().describe('Id of the monitor. Jobs send this id as `monitor_id`.'),
    name: createShortTextField()
      .optional()
      .describe('Display name in lists and messages. Defaults to the id.'),
    kind: z
      .enum(['heartbeat', 'push'])
      .default('heartbeat')
      .describe('Kind of monitor. `push` is an alias of `heartbeat`.'),
    description: z
      .string()
      .max(2_000)
      .default('')
      .describe('What the job does, or what to do when the job fails.'),
    expected_interval_minutes: createMinutesField(0.5)
      .optional()
      .describe('How often the job sends a beat, in minutes. Set either this field or `schedule`.'),
    schedule: ScheduleSchema.optional().describe(
      'When the job runs. Set either this field or `expected_interval_minutes`.',
    ),
    grace_period_minutes: createMinutesField(0)
      .optional()
      .describe(
        'How late a beat may arrive before it counts as missed, in minutes. Defaults to the organization’s `monitoring.grace_period_minutes`.',
      ),
    tags: createShortTextListField()
      .default([])
      .describe(
        'Tags by which you can filter lists and select monitors for channels and maintenance windows.',
      ),
    paused: z
      .boolean()
      .default(false)
      .describe(
        'Whether the monitor is paused. While a monitor is paused, Floe records beats but does not expect them.',
      ),
    paused_until: createTimestampField()
      .optional()
      .describe(
        'Time at which the pause ends automatically. If not set, the pause does not end automatically.',
      ),
    muted_until: createTimestampField()
      .optional()
      .describe(
        'Time until which Floe delays failure alerts for this monitor. If the monitor is still failing at this time, Floe sends the alert. Floe still records the monitor’s status.',
      ),
    alert_after_misses: SHARED_MONITOR_FIELDS.alert_after_misses.default(1),
    fail_counts_as_miss: z
      .boolean()
      .default(false)
      .describe(
        'Whether a failure that the job reports counts as one missed beat for `alert_after_misses`. If `false`, Floe sends an alert immediately after a reported failure.',
      ),
    first_beat_due_minutes: createMinutesField(0.5)
      .optional()
      .describe(
        'How soon the first beat must arrive after the monitor’s creation, in minutes. If the monitor has never received a beat, the time starts again when a pause ends. If no beat arrives in this time, Floe sends an alert. By default, the first beat must arrive by the first expected time plus the grace period.',
      ),
    channels: createShortTextListField()
      .default([])
      .describe(
        'Names of the channels that can receive alerts for this monitor. If empty, or if all of these channels were deleted or renamed, all channels can receive them. A channel receives an alert only if its `events` and `tags` match.',
      ),
  })
  .check(
    createCrossFieldCheck(({ expected_interval_minutes, schedule }, report) => {
      if (expected_interval_minutes !== undefined && schedule !== undefined)
        report(
          ['schedule'],
          'expected_interval_minutes and schedule cannot be combined; set only one of them',
        );
      if (expected_interval_minutes === undefined && schedule === undefined)
        report([], 'must have expected_interval_minutes or schedule');
    }),
  )
  .transform((monitor) => ({ ...monitor, name: monitor.name ?? monitor.id, kind: 'heartbeat' as const }));

/** The events that a channel can receive. */
export const ALERT_EVENTS = [
  'monitor_failing',
  'monitor_recovered',
  'monitor_never_beaten',
  'budget',
  'breaker',
  'credential',
] as const;

const channelFields = {
  name: createSlugField().describe('Name of the channel, unique in the organization.'),
  enabled: z.boolean().default(true).describe('Set to `false` to disable the channel.'),
  events: z
    .array(z.enum(ALERT_EVENTS))
    .min(1)
    .optional()
    .describe('Events for which the channel receives alerts. Defaults to all events.'),
  tags: createShortTextListField()
    .default([])
    .describe(
      'Restricts alerts about monitors to monitors with one of these tags. If empty, tags do not restrict the alerts. Tags never restrict alerts about other subjects.',
    ),
  realert_minutes: createMinutesField(0)
    .default(0)
    .describe(
      'How often Floe repeats an alert while the problem lasts, in minutes. 0 means never. Other values must be at least 1. Alerts about budgets and about missing first beats are not repeated.',
    ),
} as const;

const secretUrl = () => createWebUrlField().meta({ writeOnly: true });

const channelUnion = z.discriminatedUnion('kind', [
  z.strictObject({
    ...channelFields,
    kind: z
      .literal('webhook')
      .describe(
        'Sends JSON to a URL. If `secret` is set, Floe signs the messages according to Standard Webhooks.',
      ),
    url: secretUrl().describe('URL that Floe sends messages to.'),
    secret: createSecretField()
      .optional()
      .describe('Secret that Floe uses to sign messages. If not set, Floe does not sign messages.'),
  }),
  z.strictObject({
    ...channelFields,
    kind: z
      .enum(['slack', 'discord', 'teams'])
      .describe('Sends messages to a chat service through an incoming webhook.'),
    url: secretUrl().describe('URL of the incoming webhook.'),
  }),
  z.strictObject({
    ...channelFields,
    kind: z.literal('email').describe('Sends emails through the mail server in `smtp`.'),
    to: createEmailAddressListField().describe('Email addresses of the recipients.'),
  }),
  z.strictObject({
    ...channelFields,
    kind: z.literal('pagerduty').describe('Sends events to PagerDuty (Events API v2).'),
    routing_key: createSecretField().describe('Integration key of the PagerDuty service.'),
    base_url: createBaseUrlField()
      .default('https://events.pagerduty.com')
      .describe('Base URL of the Events API. Use `https://events.eu.pagerduty.com` for accounts in the EU.'),
  }),
  z.strictObject({
    ...channelFields,
    kind: z.literal('ntfy').describe('Sends messages to a topic on an ntfy server.'),
    url: secretUrl().describe('URL of the topic.'),
    token: createHeaderSecretField().optional().describe('Access token, if the topic requires one.'),
  }),
  z.strictObject({
    ...channelFields,
    kind: z.literal('telegram').describe('Sends messages to a Telegram chat through a bot.'),
    bot_token: createSecretField().describe('Access token of the bot.'),
    chat_id: createShortTextField().describe('Id of the chat. In YAML, write the id in quotes.'),
    base_url: createBaseUrlField()
      .default('https://api.telegram.org')
      .describe('Base URL of the Bot API. Change it only if you run your own Bot API server.'),
  }),
]);

const checkChannelValues = createCrossFieldCheck(({ realert_minutes, secret }, report) => {
  if (typeof realert_minutes === 'number' && realert_minutes > 0 && realert_minutes < 1)
    report(['realert_minutes'], 'must be 0 (never) or at least 1');
  if (typeof secret === 'string' && !isValidSigningSecret(secret))
    report(
      ['secret'],
      'must be base64 after the prefix whsec_; to create a secret, run: echo "whsec_$(openssl rand -base64 24)"',
    );
});

/**
 * Returns whether receivers can decode a webhook's signing secret. After the prefix `whsec_`, it must be
 * base64 (Standard Webhooks). Other secrets are used as they are.
 */
function isValidSigningSecret(secret: string): boolean {
  return (
    !secret.startsWith('whsec_') ||
    /^whsec_(?=.)(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(secret)
  );
}

/** An alert channel in floe.yaml. */
export const ChannelSchema = channelUnion.check(checkChannelValues);

/** Creates the schema of a board's slug, which is part of its URL. */
export function createBoardSlugField() {
  return createSlugField()
    .refine(
      (text) => !text.endsWith('.json'),
      'must not end in .json, which is reserved for the data of the board',
    )
    .describe('Last part of the board’s URL, `/boards/<slug>`. Unique in the installation.');
}

/** Maximum number of monitors on a board. It limits the time needed to load and render the board. */
const MAX_MONITORS_PER_BOARD = 500;

const boardGroup = z.strictObject({
  name: createShortTextField().describe('Heading of the group.'),
  monitors: z
    .array(createSlugField())
    .max(MAX_MONITORS_PER_BOARD)
    .default([])
    .describe('Ids of the monitors in the group, in display order. A board can have at most 500 monitors.'),
});

/** Creates the schema of the monitor groups that a board shows. */
export function createBoardGroupsField() {
  return z
    .array(boardGroup)
    .max(100)
    .refine(
      (groups) => groups.reduce((sum, { monitors }) => sum + monitors.length, 0) <= MAX_MONITORS_PER_BOARD,
      `must contain at most ${MAX_MONITORS_PER_BOARD} monitors in all groups together`,
    );
}

/** The board settings whose names and values are the same in the API and in the database columns. */
export const SHARED_BOARD_FIELDS = {
  name: createShortTextField().describe('Title of the board.'),
  timezone: createTimezoneField()
    .nullable()
    .describe('Time zone for days and times on the board. If `null`, the organization’s time zone applies.'),
};

/** The board settings as database rows contain them, with the same defaults as in floe.yaml. */
export const boardFieldsStoredAsIs = z.object({
  slug: z.string(),
  name: z.string(),
  timezone: z.string().nullable().default(null),
});

/** A board in floe.yaml. */
export const BoardSchema = z
  .strictObject({
    slug: createBoardSlugField(),
    name: createShortTextField().optional().describe('Title of the board. Defaults to the slug.'),
    public: z
      .boolean()
      .default(false)
      .describe('Whether anyone with the link can read the board without signing in.'),
    timezone: createTimezoneField()
      .optional()
      .describe('Time zone for days and times on the board. Defaults to the organization’s time zone.'),
    groups: createBoardGroupsField().default([]).describe('Groups of monitors, in display order.'),
  })
  .transform((board) => ({ ...board, name: board.name ?? board.slug }));
