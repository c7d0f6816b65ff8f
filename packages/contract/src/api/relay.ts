import * as z from 'zod';
import { RELAY_EVENT_KINDS } from '../config/relay.ts';
import { timeRangeListQuery, timestamp } from './page.ts';

/** A short string from an agent, such as a name or an id. */
export const relayShortText = z.string().min(1).max(200);
/** Maximum length, in characters, of a file path in an event, and of the URL or the command of a connector. */
export const MAX_RELAY_PATH_CHARS = 4_096;
const path = z.string().min(1).max(MAX_RELAY_PATH_CHARS);
/**
 * Maximum length of a text field in an event, in characters. The request body limit of 1 MiB applies as well, so this
 * limit never rejects a body that is small enough.
 */
export const MAX_RELAY_TEXT_CHARS = 1 << 20;
const text = z.string().max(MAX_RELAY_TEXT_CHARS);

/**
 * The decisions that the relay can make. `abstain` means that no enforced rule matches, so the agent decides.
 */
export const RELAY_DECISIONS = ['allow', 'deny', 'ask', 'abstain'] as const;
/**
 * The modes of rules. `observe` only records the match, `warn` also informs the user, `enforce` also
 * applies the decision.
 */
export const RELAY_RULE_MODES = ['observe', 'warn', 'enforce'] as const;

export const relayDecisionValue = z.enum(RELAY_DECISIONS);
export const relayRuleMode = z.enum(RELAY_RULE_MODES);

const shell = z.strictObject({
  command: text,
  dialect: z.enum(['bash', 'sh', 'zsh', 'powershell', 'cmd', 'fish', 'unknown']).default('bash'),
});

const tool = z.strictObject({
  name: relayShortText,
  server: relayShortText
    .optional()
    .describe(
      'Name that the user gave the connector. Rules identify a connector by its URL or command, not by this name.',
    ),
  url: path.optional().describe('URL of the connector.'),
  command: path.optional().describe('Command that starts the connector.'),
  arguments: z.record(z.string(), z.unknown()).default({}),
});

/** Maximum number of attachments of a prompt. */
export const MAX_RELAY_ATTACHMENTS = 500;
const prompt = z.strictObject({
  text,
  attachments: z
    .array(z.strictObject({ path, kind: relayShortText.optional() }))
    .max(MAX_RELAY_ATTACHMENTS)
    .default([]),
});

const file = z.strictObject({ path, content: text.optional() });

const agent = z.strictObject({
  name: relayShortText,
  version: relayShortText.optional(),
  permission_mode: relayShortText.optional(),
});

const EVENT_FIELDS = {
  id: relayShortText
    .optional()
    .describe(
      'Id of the event. If you send the same event again within 10 minutes with the same id and platform key, Floe does not record it again, and returns the first decision unless the event requires an approval.',
    ),
  event: z.enum(RELAY_EVENT_KINDS).describe('What the agent is about to do.'),
  session_id: relayShortText.optional().describe('Id of the agent session.'),
  turn_id: relayShortText.optional().describe('Id of the turn within the session.'),
  tool_use_id: relayShortText.optional().describe('Id that the agent assigned to the tool call.'),
  permission_request: z
    .boolean()
    .optional()
    .describe(
      'Whether the agent is about to ask its user for permission for an action that it already sent in another event. An approval that is valid once covers both events.',
    ),
  agent: agent.default({ name: 'unknown' }).describe('Name, version and permission mode of the agent.'),
  client: z
    .strictObject({
      version: relayShortText.optional(),
      device: relayShortText.optional(),
      host: relayShortText.optional(),
    })
    .optional()
    .describe('Version of the hook, and where it runs.'),
  user: relayShortText
    .optional()
    .describe('User name, for information only. The platform key identifies the caller.'),
  cwd: z.string().max(MAX_RELAY_PATH_CHARS).optional().describe('Working directory.'),
  home_dir: path.optional().describe('Home directory, for paths that start with `~`.'),
  repository: z
    .strictObject({ remote: path.optional(), branch: relayShortText.optional() })
    .optional()
    .describe('Git remote and branch of the working directory.'),
  shell: shell.optional().describe('The command. Required for `event: shell`.'),
  tool: tool.optional().describe('The tool call. Required for `event: tool`.'),
  prompt: prompt.optional().describe('The prompt text. Required for `event: prompt`.'),
  file: file.optional().describe('The file. Required for `event: file_read` and `event: file_write`.'),
};

const PART_BY_EVENT = {
  shell: 'shell',
  tool: 'tool',
  prompt: 'prompt',
  file_read: 'file',
  file_write: 'file',
} as const;

/** An action that an agent is about to take. */
export const relayEvent = z
  .strictObject(EVENT_FIELDS)
  .superRefine((given, context) => {
    const part = PART_BY_EVENT[given.event];
    if (given[part] === undefined)
      context.addIssue({
        code: 'custom',
        path: [part],
        message: `is required for the event "${given.event}"`,
      });
  })
  .meta({ id: 'RelayEvent' });

export type RelayEvent = z.output<typeof relayEvent>;

/** The number of findings of one kind. */
export const relayFindingCount = z.strictObject({ kind: z.string(), count: z.int() });

/** A rule that matches an event. */
export const matchedRelayRule = z.strictObject({
  rule: z.string(),
  decision: z.enum(['allow', 'deny', 'ask']),
  mode: relayRuleMode,
  reason: z.string(),
});

const pendingApproval = z.strictObject({ id: z.string(), url: z.string(), expires_at: timestamp });

/** The relay's decision on an event. */
export const relayDecision = z
  .strictObject({
    decision: relayDecisionValue.describe(
      'Decision of the relay. `abstain` means that no rule in the mode `enforce` matches, or that the action was approved. The agent then uses its own permissions.',
    ),
    rule: z.string().nullable(),
    reason: z.string().nullable(),
    user_message: z.string().nullable(),
    agent_message: z.string().nullable(),
    decision_id: z.string(),
    mode: relayRuleMode.nullable().describe('Mode of the rule. `null` means that no rule matches.'),
    enforced_decision: relayDecisionValue.describe('Decision that would apply if all rules were enforced.'),
    on_error: z.enum(['open', 'closed']),
    matches: z.array(matchedRelayRule).describe('All rules that match the event, in any mode.'),
    findings: z.array(relayFindingCount),
    approval: pendingApproval.nullable(),
  })
  .meta({ id: 'RelayDecision' });

export type RelayDecision = z.output<typeof relayDecision>;

/** The request body for decisions on several events. */
export const relayEventBatch = z.strictObject({
  events: z.array(relayEvent).min(1).max(100).describe('Events that require a decision, at most 100.'),
});
export const relayEventBatchResult = z.strictObject({ data: z.array(relayDecision) });

/** A report of a completed action. The relay records it without a decision. */
export const relayReport = z
  .strictObject({
    id: relayShortText.optional(),
    type: z.enum([
      'session_start',
      'session_end',
      'tool_result',
      'shell_result',
      'file_edited',
      'turn_end',
      'client_error',
      'other',
    ]),
    at: timestamp
      .optional()
      .describe(
        'Time of the event. If it is absent, in the future or more than seven days ago, Floe uses the time at which it receives the report.',
      ),
    session_id: relayShortText.optional(),
    tool_use_id: relayShortText.optional(),
    agent: agent.default({ name: 'unknown' }),
    details: z
      .record(z.string(), z.unknown())
      .default({})
      .describe(
        'Details of the event. Floe masks secrets. If the details have more than 8,192 characters as JSON, Floe stores only the number of characters. With `relay.keep_text: none`, Floe stores no details.',
      ),
  })
  .meta({ id: 'RelayReport' });

/** The request body for reports of several completed actions. */
export const relayReportBatch = z.strictObject({
  events: z.array(relayReport).min(1).max(500).describe('Reports of completed actions, at most 500.'),
});
export const relayReportBatchResult = z.strictObject({ accepted: z.int() });

/** A recorded report of a completed action. */
export const storedRelayReport = z
  .strictObject({
    id: z.string(),
    created_at: timestamp,
    type: z.string(),
    session_id: z.string().nullable(),
    tool_use_id: z.string().nullable(),
    agent: z.string(),
    agent_version: z.string().nullable(),
    key: z.string(),
    owner: z.string().nullable(),
    details: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'RelayReportRecord' });

export const relayReportListQuery = timeRangeListQuery.extend({
  session: relayShortText.optional().describe('Only reports about the session with this id.'),
  type: relayShortText.optional().describe('Only reports of this type, such as `session_start`.'),
});

/** A signed bundle of rules. `payload` is JSON text, and the signature covers exactly that text. */
export const relayBundle = z
  .strictObject({
    payload: z.string(),
    signature: z.string().describe('Base64-encoded Ed25519 signature of the bytes of `payload`.'),
    key_id: z.string(),
    public_key: z
      .string()
      .describe('Base64-encoded raw Ed25519 public key. Clients should pin the first key that they receive.'),
  })
  .meta({ id: 'RelayBundle' });

/** The path parameters of the hook endpoint. */
export const hookParams = z.strictObject({ agent: z.string() });

export const approvalWaitQuery = z.strictObject({
  wait_seconds: z.coerce
    .number()
    .int()
    .min(0)
    .max(25)
    .default(0)
    .describe('Maximum time to wait for a decision, in seconds. `0` returns immediately.'),
});

/** An approval. It can be pending. */
export const approvalResource = z
  .strictObject({
    id: z.string(),
    created_at: timestamp,
    expires_at: timestamp.describe(
      'Time at which the request for approval expires. After an approval, the time at which the approval expires.',
    ),
    state: z.enum(['waiting', 'allowed', 'denied', 'expired']),
    scope: z.enum(['once', 'session']).nullable(),
    decision_id: z.string(),
    event: z.enum(RELAY_EVENT_KINDS),
    rules: z.array(z.string()),
    session_id: z.string().nullable(),
    agent: z.string(),
    key: z.string(),
    owner: z.string().nullable(),
    repository: z.string().nullable(),
    input_summary: z.string(),
    reason: z.string(),
    decided_at: timestamp.nullable(),
    decided_by: z
      .string()
      .nullable()
      .describe(
        'Who decided: the email address of a member, or the id of a key. The member id if the member has been removed.',
      ),
    note: z.string().nullable().describe('Note for the agent from the member or key that decided.'),
  })
  .meta({ id: 'RelayApproval' });
