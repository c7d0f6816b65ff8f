import * as z from 'zod';
import { RELAY_EVENT_KINDS, RelayRuleSchema } from '../config/relay.ts';
import { backgroundJobResource } from './background-jobs.ts';
import { pageQuery, timeRangeListQuery, timestamp } from './page.ts';
import {
  matchedRelayRule,
  relayDecisionValue,
  relayEvent,
  relayFindingCount,
  relayRuleMode,
  relayShortText,
} from './relay.ts';

/** A recorded relay decision. */
export const storedRelayDecision = z
  .strictObject({
    id: z.string(),
    created_at: timestamp,
    event: z.enum(RELAY_EVENT_KINDS),
    decision: relayDecisionValue,
    enforced_decision: relayDecisionValue,
    rule: z.string().nullable(),
    mode: relayRuleMode.nullable(),
    input_summary: z
      .string()
      .describe(
        'Shortened command, tool call, prompt or path. Secrets are masked. With `relay.keep_text: none`, only the name of the tool or the kind of event.',
      ),
    session_id: z.string().nullable(),
    agent: z.string(),
    agent_version: z.string().nullable(),
    client_version: z.string().nullable(),
    key: z.string(),
    team: z.string().nullable(),
    owner: z.string().nullable(),
    repository: z.string().nullable(),
    cwd: z.string().nullable(),
    reason: z.string().nullable(),
    user_message: z.string().nullable(),
    agent_message: z.string().nullable(),
    matches: z.array(matchedRelayRule),
    findings: z.array(relayFindingCount),
    approval_id: z.string().nullable(),
    latency_us: z.int(),
  })
  .meta({ id: 'RelayDecisionRecord' });

export const relayDecisionListQuery = timeRangeListQuery.extend({
  decision: relayDecisionValue.optional().describe('Only decisions with this value of `decision`.'),
  enforced_decision: relayDecisionValue
    .optional()
    .describe('Only decisions with this value of `enforced_decision`.'),
  event: z.enum(RELAY_EVENT_KINDS).optional().describe('Only decisions about events of this kind.'),
  rule: relayShortText.optional().describe('Only decisions with this value of `rule`.'),
  mode: relayRuleMode.optional().describe('Only decisions with this value of `mode`.'),
  agent: relayShortText.optional().describe('Only decisions for the agent with this name, such as `cursor`.'),
  key: relayShortText.optional().describe('Only decisions for the platform key with this name.'),
  owner: relayShortText.optional().describe('Only decisions for platform keys with this owner.'),
  repository: relayShortText
    .optional()
    .describe('Only decisions in the repository with this name, such as `github.com/acme/app`.'),
  session: relayShortText.optional().describe('Only decisions in the session with this id.'),
  q: z
    .string()
    .min(2)
    .max(200)
    .optional()
    .describe('Only decisions whose `input_summary` contains this text. Case-insensitive.'),
});

export const approvalListQuery = pageQuery.extend({
  state: z
    .enum(['waiting', 'allowed', 'denied', 'expired'])
    .optional()
    .describe('Only approvals in this state.'),
});

/** A member's decision on an approval. */
export const approvalDecisionInput = z.strictObject({
  decision: z.enum(['allow', 'deny']).describe('Whether the agent may perform the action.'),
  scope: z
    .enum(['once', 'session'])
    .default('once')
    .describe(
      'Whether an approval allows the action once (`once`), or the same action any number of times in the session (`session`). An approval for a session is valid for 12 hours. An approval for one action is valid until the request for approval expires.',
    ),
  note: z.string().min(1).max(1_000).nullable().default(null).describe('Note for the agent.'),
});

/** An agent session. */
export const relaySession = z
  .strictObject({
    session_id: z
      .string()
      .describe('Id of the session. Empty for requests whose client sends no session id.'),
    agent: z.string().nullable(),
    agent_version: z.string().nullable(),
    client_version: z.string().nullable(),
    owner: z.string().nullable(),
    key: z.string(),
    first_seen_at: timestamp,
    last_seen_at: timestamp,
    model_requests: z.int(),
    relay_calls: z.int(),
    last_model_request_at: timestamp.nullable(),
    last_relay_call_at: timestamp.nullable(),
    covered: z
      .boolean()
      .nullable()
      .describe(
        'Whether the session calls the relay. `null` for a session without model requests, and for requests without a session id.',
      ),
  })
  .meta({ id: 'RelaySession' });

export const relaySessionListQuery = timeRangeListQuery.extend({
  covered: z
    .enum(['true', 'false'])
    .optional()
    .describe(
      'Only sessions with this value of `covered`. Sessions whose `covered` is `null` are not listed.',
    )
    .transform((text) => (text === undefined ? undefined : text === 'true')),
  owner: relayShortText.optional().describe('Only sessions of platform keys with this owner.'),
  agent: relayShortText.optional().describe('Only sessions of the agent with this name, such as `cursor`.'),
});

const coverageRow = z.strictObject({
  owner: z.string().nullable(),
  key: z.string(),
  agent: z.string().nullable(),
  sessions: z.int().describe('Number of sessions with model requests.'),
  covered_sessions: z.int().describe('Number of sessions that both send model requests and call the relay.'),
  covered_ratio: z.number().nullable(),
  model_requests: z.int(),
  relay_calls: z.int(),
  requests_without_session: z.int().describe('Number of model requests without a session id.'),
  agent_version: z.string().nullable(),
  client_version: z.string().nullable(),
  last_model_request_at: timestamp.nullable(),
  last_relay_call_at: timestamp.nullable(),
});

/** Agent sessions and their use of the relay, by person and agent. Rows without relay use come first. */
export const relayCoverage = z
  .strictObject({
    from: timestamp,
    to: timestamp,
    data: z.array(coverageRow),
    clients: z.array(
      z.strictObject({
        client_version: z.string().nullable(),
        agent: z.string().nullable(),
        sessions: z.int(),
      }),
    ),
  })
  .meta({ id: 'RelayCoverage' });

export const relayCoverageQuery = z.strictObject({
  from: timestamp.optional().describe('Start of the time range. Defaults to seven days before `to`.'),
  to: timestamp.optional().describe('End of the time range, inclusive. Defaults to now.'),
});

const draftFields = {
  rules: z
    .array(RelayRuleSchema)
    .max(2_000)
    .optional()
    .describe('Draft rules to evaluate. Defaults to the rules in force.'),
  mode: z
    .enum(['observe', 'enforce'])
    .optional()
    .describe('Value of `relay.mode` to use. Defaults to the mode in force.'),
};

/** The request to evaluate the rules against a hypothetical event. */
export const relaySimulationInput = z.strictObject({
  ...draftFields,
  event: relayEvent.describe('Hypothetical event to evaluate.'),
  key: z
    .string()
    .default('')
    .describe('Name of the platform key with which the event is sent, for rules with `who.keys`.'),
  team: z.string().nullable().default(null).describe('Team of the key.'),
  owner: z.string().nullable().default(null).describe('Owner of the key.'),
  at: timestamp.optional().describe('Time of the event, for rules with a schedule. Defaults to now.'),
});

const spanFields = { start: z.int(), end: z.int() };

/** The decision about a hypothetical event, and the rules that match it. */
export const relaySimulationResult = z.strictObject({
  decision: relayDecisionValue,
  enforced_decision: relayDecisionValue,
  rule: z.string().nullable(),
  mode: relayRuleMode.nullable(),
  user_message: z.string().nullable(),
  agent_message: z.string().nullable(),
  matches: z.array(
    z.strictObject({
      rule: z.string(),
      decision: z.enum(['allow', 'deny', 'ask']),
      mode: relayRuleMode,
      reason: z.string(),
      range: z
        .strictObject(spanFields)
        .nullable()
        .describe(
          'Position of the match in the command, in UTF-16 code units. `null` if the match has no position.',
        ),
      command: z
        .int()
        .nullable()
        .describe(
          'Index of the matching entry in `commands`, starting at 0. `null` if the match is not in a command.',
        ),
    }),
  ),
  findings: z.array(relayFindingCount),
  commands: z.array(
    z.strictObject({
      name: z.string().nullable(),
      args: z
        .array(z.string().nullable())
        .describe(
          'Arguments of the command. `null` for an argument that is unknown before the command runs.',
        ),
      via: z
        .array(z.string())
        .describe('Names of commands that run this command, such as `sudo`, outermost first.'),
      does: z.array(z.string()),
      assigns: z.array(z.string()),
      redirects: z.array(z.strictObject({ operator: z.string(), target: z.string().nullable() })),
      ...spanFields,
    }),
  ),
  unclear: z.array(z.strictObject({ reason: z.string(), ...spanFields })),
});

/** The request to evaluate draft rules against recorded decisions. */
export const relayReplayInput = z.strictObject({
  ...draftFields,
  days: z.int().min(1).max(30).default(7).describe('Number of past days whose decisions are replayed.'),
  limit: z
    .int()
    .min(1)
    .max(5_000)
    .default(2_000)
    .describe('Maximum number of decisions to replay, newest first.'),
});

const changedDecision = z.strictObject({
  decision_id: z.string(),
  created_at: timestamp,
  input_summary: z.string(),
  before: relayDecisionValue,
  after: relayDecisionValue,
  rule: z.string().nullable(),
});

/** How draft rules would change recorded decisions. */
export const relayReplayResult = z.strictObject({
  evaluated: z.int(),
  skipped: z
    .int()
    .describe(
      'Number of decisions that were not evaluated: their text is not stored, or their evaluation has not started or took too long.',
    ),
  newly_denied: z.int(),
  newly_asked: z.int(),
  newly_allowed: z.int(),
  unchanged: z.int(),
  changes: z.array(changedDecision).describe('Decisions that change, newest first. At most 200.'),
  job: backgroundJobResource
    .nullable()
    .describe(
      'Background job that evaluates the remaining decisions, if the evaluation takes longer than a second. The other fields contain the results so far. When the job is done, its `result` contains all results.',
    ),
});
