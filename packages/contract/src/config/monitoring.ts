import * as z from 'zod';
import {
  baseUrlField,
  crossFieldRule,
  emailAddressListField,
  labelField,
  labelListField,
  minutesField,
  positiveCountField,
  secretField,
  slugField,
  timestampField,
  timezoneField,
  webUrlField,
} from './fields.ts';

/** Five or six fields of cron characters, or a macro; the engine that computes the times reads the rest. */
const CRON =
  /^(@(yearly|annually|monthly|weekly|daily|midnight|hourly)|[\dA-Za-z*/,?#-]+( +[\dA-Za-z*/,?#-]+){4,5})$/;

export const ScheduleSchema = z.strictObject({
  cron: z
    .string()
    .max(200)
    .regex(CRON, 'write a cron expression of five fields, such as 0 3 * * *')
    .describe('Cron expression of five fields.'),
  timezone: timezoneField().optional().describe('Time zone of the expression. Absent: the org’s.'),
});

/** Settings of a monitor whose columns have the same name and value, as answers show them. */
export const MONITOR_FIELDS = {
  name: labelField(),
  description: z.string().max(2_000),
  alert_after_misses: positiveCountField().describe('Missed beats in a row before a message is sent.'),
};

/** The same in rows, with what they hold where the file says nothing. */
export const storedMonitorFields = z.object({
  name: z.string(),
  description: z.string().default(''),
  alert_after_misses: z.number().default(1),
});

export const MonitorSchema = z
  .strictObject({
    id: slugField().describe('What jobs send as `monitor_id`.'),
    name: labelField().optional().describe('Name of the monitored job or worker. Defaults to the id.'),
    kind: z
      .enum(['heartbeat', 'push'])
      .default('heartbeat')
      .describe('`heartbeat`; `push` is another word for it.'),
    description: z.string().max(2_000).default('').describe('Notes for the person who receives an alert.'),
    expected_interval_minutes: minutesField(0.5)
      .optional()
      .describe('How often a beat is promised. Either this or `schedule`.'),
    schedule: ScheduleSchema.optional().describe(
      'When beats are promised. Either this or `expected_interval_minutes`.',
    ),
    grace_period_minutes: minutesField(0)
      .optional()
      .describe('Slack before a miss counts. Absent: the org’s default.'),
    tags: labelListField().default([]).describe('For filters of channels and lists.'),
    paused: z.boolean().default(false).describe('A paused monitor records beats and misses nothing.'),
    paused_until: timestampField().optional().describe('The pause ends automatically at this time.'),
    muted_until: timestampField().optional().describe('No messages until then; states are still recorded.'),
    alert_after_misses: MONITOR_FIELDS.alert_after_misses.default(1),
    fail_counts_as_miss: z
      .boolean()
      .default(false)
      .describe(
        '`true`: a failure that the job reports counts as one missed beat. `false`: it fails the monitor immediately.',
      ),
    first_beat_due_minutes: minutesField(0.5)
      .optional()
      .describe('When a monitor that never beat is reported. Absent: after interval and grace.'),
    channels: labelListField().default([]).describe('Names of channels that are told.'),
  })
  .check(
    crossFieldRule(({ expected_interval_minutes, schedule }, report) => {
      if (expected_interval_minutes !== undefined && schedule !== undefined)
        report(['schedule'], 'give either expected_interval_minutes or schedule, not both');
      if (expected_interval_minutes === undefined && schedule === undefined)
        report([], 'needs expected_interval_minutes or schedule');
    }),
  )
  .transform((monitor) => ({ ...monitor, name: monitor.name ?? monitor.id, kind: 'heartbeat' as const }));

/** What a channel can be told about. */
export const ALERT_EVENTS = [
  'monitor_failing',
  'monitor_recovered',
  'monitor_never_beaten',
  'budget',
  'breaker',
  'credential',
] as const;

const channelFields = {
  name: slugField().describe('Unique in the org.'),
  events: z.array(z.enum(ALERT_EVENTS)).min(1).optional().describe('Only these. Absent: all.'),
  tags: labelListField().default([]).describe('Only monitors with one of these tags. Empty: all.'),
  realert_minutes: z
    .number()
    .min(0)
    .max(527_040)
    .default(0)
    .describe('Repeat while it lasts, at this interval; 0 means never.'),
} as const;

const secretUrl = () => webUrlField().meta({ writeOnly: true });

export const ChannelSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    ...channelFields,
    kind: z.literal('webhook').describe('Signed JSON (Standard Webhooks).'),
    url: secretUrl().describe('Where messages are posted.'),
    secret: secretField().optional().describe('Key of the signature; without it messages are not signed.'),
  }),
  z.strictObject({
    ...channelFields,
    kind: z.enum(['slack', 'discord', 'teams']).describe('Chat by incoming webhook.'),
    url: secretUrl().describe('Address of the incoming webhook.'),
  }),
  z.strictObject({
    ...channelFields,
    kind: z.literal('email').describe('Mail through `smtp`.'),
    to: emailAddressListField().describe('Recipients.'),
  }),
  z.strictObject({
    ...channelFields,
    kind: z.literal('pagerduty').describe('PagerDuty Events v2.'),
    routing_key: secretField().describe('Integration key of the service.'),
    base_url: baseUrlField()
      .default('https://events.pagerduty.com')
      .describe('Events API; `https://events.eu.pagerduty.com` for accounts in the EU.'),
  }),
  z.strictObject({
    ...channelFields,
    kind: z.literal('ntfy').describe('A topic of an ntfy server.'),
    url: secretUrl().describe('Address of the topic.'),
    token: secretField().optional().describe('Access token, where the topic needs one.'),
  }),
  z.strictObject({
    ...channelFields,
    kind: z.literal('telegram').describe('A chat, through a bot.'),
    bot_token: secretField().describe('Token of the bot.'),
    chat_id: labelField().describe('The chat, in quotes.'),
    base_url: baseUrlField()
      .default('https://api.telegram.org')
      .describe('Bot API; another address for a Bot API server of your own.'),
  }),
]);

/** Address of a board. */
export function boardSlugField() {
  return slugField()
    .refine((text) => !text.endsWith('.json'), 'must not end in .json, which is the address of the data')
    .describe('Address of the board: `/boards/<slug>`. Unique in the installation.');
}

const boardGroup = z.strictObject({
  name: labelField().describe('Heading of the group.'),
  monitors: z.array(slugField()).max(1_000).default([]).describe('Ids of monitors, in order.'),
});

/** What a board shows. */
export function boardGroupsField() {
  return z.array(boardGroup).max(100);
}

/** Settings of a board whose columns have the same name and value, as answers show them. */
export const BOARD_FIELDS = {
  name: labelField(),
  timezone: timezoneField().nullable().describe('Of days and times. Null: the org’s.'),
};

/** The same in rows, with what they hold where the file says nothing. */
export const storedBoardFields = z.object({
  slug: z.string(),
  name: z.string(),
  timezone: z.string().nullable().default(null),
});

export const BoardSchema = z
  .strictObject({
    slug: boardSlugField(),
    name: labelField().optional().describe('Title. Absent: the slug.'),
    public: z.boolean().default(false).describe('Readable without signing in.'),
    timezone: timezoneField().optional().describe('Time zone of its days and times. Absent: the org’s.'),
    groups: boardGroupsField().default([]).describe('Groups of monitors, in order.'),
  })
  .transform((board) => ({ ...board, name: board.name ?? board.slug }));
