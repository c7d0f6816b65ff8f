import * as z from 'zod';
import { RELAY_EVENTS, RELAY_RULE_FIELDS, RelayRuleSchema } from '../config/relay.ts';
import type { Json } from '../json.ts';
import { toWritableFields } from './entries.ts';
import { jobResource } from './jobs.ts';
import { resourceSource } from './keys.ts';
import { pageQuery, rangeQuery, timestamp } from './page.ts';
import {
  relayDecisionKind,
  relayEvent,
  relayFinding,
  relayName,
  relayRuleHit,
  relayRuleMode,
} from './relay.ts';

export const storedRelayDecision = z
  .strictObject({
    id: z.string(),
    created_at: timestamp,
    event: z.enum(RELAY_EVENTS),
    decision: relayDecisionKind,
    enforced_decision: relayDecisionKind,
    rule: z.string().nullable(),
    mode: relayRuleMode.nullable(),
    input_summary: z
      .string()
      .describe('Command, connector and tool, prompt or path; secrets masked, shortened.'),
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
    matches: z.array(relayRuleHit),
    findings: z.array(relayFinding),
    approval_id: z.string().nullable(),
    latency_us: z.int(),
  })
  .meta({ id: 'RelayDecisionRecord' });

export const relayDecisionListQuery = rangeQuery.extend({
  decision: relayDecisionKind.optional().describe('Only decisions that were given as this.'),
  enforced_decision: relayDecisionKind
    .optional()
    .describe('Only decisions that would be this if every rule were enforced.'),
  event: z.enum(RELAY_EVENTS).optional().describe('Only decisions about this event.'),
  rule: relayName.optional().describe('Name of the rule that decided.'),
  mode: relayRuleMode.optional().describe('Mode of that rule.'),
  agent: relayName.optional().describe('Name of the agent, such as `cursor`.'),
  key: relayName.optional().describe('Name of the platform key.'),
  owner: relayName.optional().describe('Owner of the platform key.'),
  repository: relayName.optional().describe('Address of the repository without scheme.'),
  session: relayName.optional().describe('Id of the session.'),
  q: z.string().min(2).max(200).optional().describe('Text in the command, tool, prompt or path.'),
});

export const approvalListQuery = pageQuery.extend({
  state: z
    .enum(['waiting', 'allowed', 'denied', 'expired'])
    .optional()
    .describe('Only approvals in this state.'),
});

export const approvalAnswerInput = z.strictObject({
  decision: z.enum(['allow', 'deny']).describe('The answer.'),
  scope: z
    .enum(['once', 'session'])
    .default('once')
    .describe('For this one thing, or for the rest of the session.'),
  note: z.string().min(1).max(1_000).nullable().default(null).describe('The agent will read it.'),
});

/** A session of an agent. */
export const relaySession = z
  .strictObject({
    session_id: z.string().describe('Empty for requests whose client names no session.'),
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
    covered: z.boolean().nullable().describe('Null for a session that uses no models here.'),
  })
  .meta({ id: 'RelaySession' });

export const relaySessionListQuery = rangeQuery.extend({
  covered: z
    .enum(['true', 'false'])
    .optional()
    .describe('Whether the session asked the relay.')
    .transform((text) => (text === undefined ? undefined : text === 'true')),
  owner: relayName.optional().describe('Owner of the platform key.'),
  agent: relayName.optional().describe('Name of the agent, such as `cursor`.'),
});

const coverageRow = z.strictObject({
  owner: z.string().nullable(),
  key: z.string(),
  agent: z.string().nullable(),
  sessions: z.int().describe('That use models.'),
  covered_sessions: z.int().describe('Of those, the ones that ask the relay, too.'),
  covered_ratio: z.number().nullable(),
  model_requests: z.int(),
  relay_calls: z.int(),
  requests_without_session: z.int().describe('Requests of clients that send no session id.'),
  agent_version: z.string().nullable(),
  client_version: z.string().nullable(),
  last_model_request_at: timestamp.nullable(),
  last_relay_call_at: timestamp.nullable(),
});

/** Who uses models and never asks the relay comes first. */
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

export const relayCoverageQuery = rangeQuery.pick({ from: true, to: true });

const json: z.ZodType<Json, Json> = z.any();

/** A rule with where it stands. */
export const relayRule = z
  .strictObject({
    id: z.string(),
    rule: z.object({ name: z.string() }).catchall(json).describe('As floe.yaml says it.'),
    mode: relayRuleMode.describe('The mode it has under `relay.mode`.'),
    match_count: z
      .int()
      .describe(
        'Decisions of the last seven days that the rule applied to. At most 10,000 decisions are counted.',
      ),
    source: resourceSource,
    created_at: timestamp.nullable(),
    updated_at: timestamp.nullable(),
    updated_by: z.string().nullable(),
  })
  .meta({ id: 'RelayRule' });

/** The fields of a rule, or what GET returned. `RelayRuleSchema` refuses any other field. */
export const relayRuleInput = z
  .looseObject(toWritableFields(RELAY_RULE_FIELDS))
  .describe('A rule as floe.yaml says it; null clears a field.');

const draftFields = {
  rules: z.array(RelayRuleSchema).max(2_000).optional().describe('Rules to try. Absent: the rules in force.'),
  mode: z.enum(['observe', 'enforce']).optional().describe('`relay.mode` to try.'),
};

export const relaySimulationInput = z.strictObject({
  ...draftFields,
  event: relayEvent.describe('What the agent is about to do.'),
  key: z.string().default('').describe('Whose event it is, for rules that ask.'),
  team: z.string().nullable().default(null).describe('Team of the key.'),
  owner: z.string().nullable().default(null).describe('Owner of the key.'),
  at: timestamp.optional().describe('When it happens, for schedules; now when absent.'),
});

const spanFields = { start: z.int(), end: z.int() };

export const relaySimulationResult = z.strictObject({
  decision: relayDecisionKind,
  enforced_decision: relayDecisionKind,
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
      range: z.strictObject(spanFields).nullable().describe('In the command, in UTF-16 code units.'),
      command: z.int().nullable().describe('Which of `commands` it is about, from 0.'),
    }),
  ),
  findings: z.array(relayFinding),
  commands: z.array(
    z.strictObject({
      name: z.string().nullable(),
      args: z
        .array(z.string().nullable())
        .describe('Null for a word that is unknown before the command runs.'),
      via: z.array(z.string()).describe('Commands that run this one, outermost first.'),
      does: z.array(z.string()),
      assigns: z.array(z.string()),
      redirects: z.array(z.strictObject({ operator: z.string(), target: z.string().nullable() })),
      ...spanFields,
    }),
  ),
  unclear: z.array(z.strictObject({ because: z.string(), ...spanFields })),
});

export const relayReplayInput = z.strictObject({
  ...draftFields,
  days: z.int().min(1).max(30).default(7).describe('Days of decisions to evaluate again.'),
  limit: z.int().min(1).max(5_000).default(2_000).describe('Decisions judged again, the newest.'),
});

const changedDecision = z.strictObject({
  decision_id: z.string(),
  created_at: timestamp,
  input_summary: z.string(),
  before: relayDecisionKind,
  after: relayDecisionKind,
  rule: z.string().nullable(),
});

export const relayReplayResult = z.strictObject({
  evaluated: z.int(),
  skipped: z.int().describe('Decisions without stored text, not yet evaluated, or not evaluated in time.'),
  newly_denied: z.int(),
  newly_asked: z.int(),
  newly_allowed: z.int(),
  unchanged: z.int(),
  changes: z.array(changedDecision).describe('At most 200, newest first.'),
  job: jobResource
    .nullable()
    .describe(
      'Job that evaluates the remaining decisions, if the evaluation takes longer than a second. The other fields contain the results so far. The `result` of the job will contain all.',
    ),
});
