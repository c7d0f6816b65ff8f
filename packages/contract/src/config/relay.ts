import * as z from 'zod';
import { DetectSchema } from './detect.ts';
import {
  createCrossFieldCheck,
  createSlugField,
  createStringListField,
  createTimestampField,
  createTimezoneField,
} from './fields.ts';
import { MAX_RESOURCES_PER_ORG } from './max-resources-per-org.ts';
import { findPatternCountProblem } from './relay-rule-patterns.ts';

/** The kinds of events for which an agent requests a decision. */
export const RELAY_EVENT_KINDS = ['shell', 'tool', 'prompt', 'file_read', 'file_write'] as const;
export type RelayEventKind = (typeof RELAY_EVENT_KINDS)[number];

/** The traits of shell commands that rules can match, in addition to the name of the command. */
export const SHELL_COMMAND_TRAITS = [
  'runs_input',
  'runs_code',
  'raises_privileges',
  'injects',
  'unclear',
] as const;

const MatchSchema = z.strictObject({
  command: createStringListField()
    .optional()
    .describe(
      'Shell: name of the command, including commands after `sudo`, in `sh -c` or in a pipeline. `*` matches any characters.',
    ),
  subcommand: createStringListField()
    .optional()
    .describe(
      'Shell: the first words that are not options, such as `push` or `compose down`. `*` matches any characters in a word.',
    ),
  any_flag: createStringListField()
    .optional()
    .describe(
      'Shell: the command has at least one of these options. `-f` also matches `-rf`, and `--force` also matches `--force=yes`. `*` matches any characters.',
    ),
  all_flags: createStringListField()
    .optional()
    .describe('Shell: the command has all these options, which match as in `any_flag`.'),
  args: createStringListField()
    .optional()
    .describe('Shell: at least one argument matches one of these patterns. `*` matches any characters.'),
  does: z
    .union([z.enum(SHELL_COMMAND_TRAITS), z.array(z.enum(SHELL_COMMAND_TRAITS)).min(1)])
    .transform((given) => (typeof given === 'string' ? [given] : given))
    .optional()
    .describe(
      'Shell: effect of the command, independent of its name. For example, `runs_input` matches commands that run downloaded or piped code.',
    ),
  server_url: createStringListField()
    .optional()
    .describe('Tool: URL of the connector. `*` matches any characters.'),
  server_command: createStringListField()
    .optional()
    .describe('Tool: command that starts the connector. `*` matches any characters.'),
  tool: createStringListField().optional().describe('Tool: name of the tool. `*` matches any characters.'),
  arguments: z
    .record(z.string().min(1), createStringListField())
    .optional()
    .describe(
      'Tool: map from argument names to patterns. `*` matches any characters. `repo.owner` is the field `owner` of the argument `repo`.',
    ),
  path: createStringListField()
    .optional()
    .describe(
      'File: path of the file, including files that shell commands use. Examples: `~/.ssh/*`, `/etc/*`, or `.env` (in any directory).',
    ),
  text: createStringListField()
    .optional()
    .describe(
      'Prompt or tool: text in the prompt or in the tool arguments that matches one of these regular expressions (RE2).',
    ),
});

const WhoSchema = z.strictObject({
  keys: createStringListField()
    .optional()
    .describe('Name of the agent’s platform key. `*` matches any characters.'),
  teams: createStringListField()
    .optional()
    .describe('Id of the platform key’s team. `*` matches any characters.'),
  owners: createStringListField()
    .optional()
    .describe('Owner of the platform key. `*` matches any characters.'),
  agents: createStringListField()
    .optional()
    .describe('Name of the agent, such as `cursor`. `*` matches any characters.'),
  repositories: createStringListField()
    .optional()
    .describe(
      'Repository URL without the scheme and without `.git`, such as `github.com/acme/app`. `*` matches any characters.',
    ),
  branches: createStringListField()
    .optional()
    .describe('Name of the branch that is checked out. `*` matches any characters.'),
});

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
const TIME_OF_DAY = /^(?:[01]\d|2[0-3]):[0-5]\d$/;

const ScheduleSchema = z.strictObject({
  days: z
    .array(z.enum(DAYS))
    .min(1)
    .default([...DAYS])
    .describe('Days on which the rule starts to apply. Defaults to every day.'),
  from: z
    .string()
    .regex(TIME_OF_DAY, 'must be a time of day such as 09:00')
    .default('00:00')
    .describe('Time of day when the rule starts to apply.'),
  to: z
    .string()
    .regex(TIME_OF_DAY, 'must be a time of day such as 17:30')
    .default('00:00')
    .describe(
      'Time of day when the rule stops applying. If this time is not later than `from`, the rule stops applying on the next day.',
    ),
  timezone: createTimezoneField().default('UTC').describe('Time zone for `days`, `from` and `to`.'),
});

const ExceptionSchema = z
  .strictObject({
    reason: z.string().min(1).max(300).describe('Reason for the exception. It has no effect on decisions.'),
    until: createTimestampField()
      .optional()
      .describe('Time at which the exception ends. If not set, the exception does not end.'),
    match: MatchSchema.optional().describe(
      'Restricts the exception to events that match these fields. The fields work like those of `match` in the rule.',
    ),
    who: WhoSchema.optional().describe(
      'Restricts the exception to the callers that match all fields that you set.',
    ),
  })
  .refine(({ match, who }) => match !== undefined || who !== undefined, 'must have match, who or both');

const MessageSchema = z.union([
  z.string().min(1).max(1_000),
  z.strictObject({
    user: z.string().min(1).max(1_000).describe('Message for the user.'),
    agent: z
      .string()
      .min(1)
      .max(1_000)
      .optional()
      .describe('Message for the agent. Defaults to the value of `message.user`.'),
  }),
]);

/** The fields of a relay rule in floe.yaml. */
export const RELAY_RULE_FIELDS = {
  name: createSlugField().describe(
    'Name of the rule, unique in the organization. Decisions contain this name.',
  ),
  on: z
    .union([z.enum(RELAY_EVENT_KINDS), z.array(z.enum(RELAY_EVENT_KINDS)).min(1)])
    .transform((given) => (typeof given === 'string' ? [given] : given))
    .describe('Types of events that the rule applies to.'),
  mode: z
    .enum(['observe', 'warn', 'enforce'])
    .default('enforce')
    .describe(
      'With `observe`, Floe only records the decision. With `warn`, Floe also shows the message to the user. With `enforce`, the decision applies. If `relay.mode` is `observe`, all rules are in `observe` mode, regardless of this field.',
    ),
  match: MatchSchema.optional().describe(
    'What the event must match. Within a group (shell, tool or file), all fields that you set must match. Exception: if you set both `server_url` and `server_command`, a match of either is enough. If you set fields of several groups, one group is enough. `text` must always match.',
  ),
  detect: DetectSchema.optional().describe(
    'Secrets or personal data to search for in the prompt, command, arguments or file.',
  ),
  who: WhoSchema.optional().describe('Callers that the rule applies to. All fields that you set must match.'),
  schedule: ScheduleSchema.optional().describe(
    'Days and times when the rule applies. If not set, the rule always applies.',
  ),
  when: z
    .string()
    .min(1)
    .max(4_000)
    .optional()
    .describe('CEL condition. The rule applies only if the condition is true.'),
  except: z
    .array(ExceptionSchema)
    .max(50)
    .default([])
    .describe('Exceptions. The rule does not apply to events that match an exception.'),
  decision: z.enum(['allow', 'deny', 'ask']).describe('Decision for events that match the rule.'),
  on_error: z
    .enum(['open', 'closed'])
    .default('open')
    .describe(
      'What the hook does if neither the server nor the signed rules on the machine make a decision in time. `open` lets the agent continue. `closed` denies the action. Applies to all events of the types in `on`, regardless of `match`. `closed` has an effect only if both `mode` and `relay.mode` are `enforce`.',
    ),
  message: MessageSchema.optional().describe(
    'Message for the user and the agent. To set different messages, use `{user, agent}`.',
  ),
};

/** A relay rule in floe.yaml. */
export const RelayRuleSchema = z.strictObject(RELAY_RULE_FIELDS).check(
  createCrossFieldCheck(({ match, except, when, detect, on }, report) => {
    const problem = findPatternCountProblem(match, except);
    if (problem !== null) report(['match'], problem);
    if (match === undefined && when === undefined && detect === undefined)
      report([], 'must have at least one of the fields match, detect and when');
    const read = RELAY_EVENT_KINDS.filter((event) => [on].flat().includes(event));
    if (read.length === 0 || typeof match !== 'object' || match === null) return;
    for (const [field, events] of Object.entries(EVENTS_BY_MATCHER))
      if (Object.hasOwn(match, field) && !events.some((event) => read.includes(event)))
        report(
          ['match', field],
          `cannot be used with ${read.join(' or ')} events; this field applies only to ${events.join(' and ')} events`,
        );
  }),
);

const EVENTS_BY_MATCHER: Readonly<Record<string, readonly RelayEventKind[]>> = {
  command: ['shell'],
  subcommand: ['shell'],
  any_flag: ['shell'],
  all_flags: ['shell'],
  args: ['shell'],
  does: ['shell'],
  server_url: ['tool'],
  server_command: ['tool'],
  tool: ['tool'],
  arguments: ['tool'],
  path: ['file_read', 'file_write'],
  text: ['prompt', 'tool'],
};

/** The settings of an organization's relay, without its rules. */
export const RelaySettingsSchema = z.strictObject({
  mode: z
    .enum(['observe', 'enforce'])
    .default('observe')
    .describe(
      'With `observe`, the relay returns `abstain` for every event and records the decision that the rules would make. With `enforce`, the relay returns the decision of the rules.',
    ),
  ask_fallback: z
    .enum(['deny', 'abstain'])
    .default('deny')
    .describe('Decision that agents receive instead of `ask` if they cannot ask the user.'),
  offline: z
    .enum(['decide', 'on_error'])
    .default('decide')
    .describe(
      'What hooks do while the server is unavailable: evaluate the signed rules on the machine (`decide`), or apply the `on_error` setting of the rules (`on_error`).',
    ),
  self_tamper: z
    .enum(['off', 'observe', 'enforce'])
    .default('enforce')
    .describe(
      'Mode of the built-in rule `self-tamper`, which requires approval from a person before an agent changes settings of agents, connectors, hooks, Git, shells, SSH or the relay.',
    ),
  approvals: z
    .strictObject({
      enabled: z
        .boolean()
        .default(false)
        .describe(
          'Whether actions with the decision `ask` require an approval from an owner or admin. If `false`, the agent’s user decides.',
        ),
      expires_minutes: z
        .int()
        .min(1)
        .max(1_440)
        .default(10)
        .describe(
          'Number of minutes after which an approval request expires. A one-time approval expires when its request would have expired. An approval for a session is valid for 12 hours.',
        ),
    })
    .prefault({})
    .describe(
      'Settings for approvals. If approvals are enabled, an owner or admin approves or denies actions with the decision `ask`.',
    ),
  keep_text: z
    .enum(['masked', 'none'])
    .default('masked')
    .describe(
      'How the decision log stores commands, tool arguments, prompts and file paths: with masked secrets (`masked`), or not at all (`none`).',
    ),
});

/** The relay section of an organization in floe.yaml. */
export const RelaySchema = z.strictObject({
  ...RelaySettingsSchema.shape,
  rules: z
    .array(RelayRuleSchema)
    .max(MAX_RESOURCES_PER_ORG.relay_rules)
    .default([])
    .describe('Relay rules. If several rules match, the strictest decision applies.'),
});
