import * as z from 'zod';
import { RELAY_EVENTS, RelayRuleSchema } from '../config/relay.ts';
import { source } from './keys.ts';
import { idParams, moment, pageQuery, rangeQuery } from './page.ts';

const name = z.string().min(1).max(200);
const path = z.string().min(1).max(4_096);
/** Texts are at most as long as a body may be. */
const text = z.string().max(1 << 20);

export const RELAY_DECISIONS = ['allow', 'deny', 'ask', 'abstain'] as const;
export const RELAY_MODES = ['observe', 'warn', 'enforce'] as const;

const decision = z.enum(RELAY_DECISIONS);
const mode = z.enum(RELAY_MODES);

const shell = z.strictObject({
  command: text,
  dialect: z.enum(['bash', 'sh', 'zsh', 'powershell', 'cmd', 'fish', 'unknown']).default('bash'),
});

const tool = z.strictObject({
  name,
  server: name.optional().describe('What the user calls the connector; never compared with rules.'),
  url: path.optional().describe('Address of the connector.'),
  command: path.optional().describe('Command that starts the connector.'),
  arguments: z.record(z.string(), z.unknown()).default({}),
});

const prompt = z.strictObject({
  text,
  attachments: z
    .array(z.strictObject({ path, kind: name.optional() }))
    .max(500)
    .default([]),
});

const file = z.strictObject({ path, content: text.optional() });

const agent = z.strictObject({
  name,
  version: name.optional(),
  permission_mode: name.optional(),
});

const EVENT_FIELDS = {
  id: name.optional().describe('Of this one event: the same id gets the same answer and is recorded once.'),
  event: z.enum(RELAY_EVENTS),
  session_id: name.optional(),
  turn_id: name.optional(),
  tool_use_id: name.optional(),
  agent: agent.default({ name: 'unknown' }),
  client: z
    .strictObject({ version: name.optional(), device: name.optional(), host: name.optional() })
    .optional(),
  user: name.optional().describe('A hint; who asks is told by the key.'),
  cwd: z.string().max(4_096).optional(),
  home: path.optional(),
  repository: z.strictObject({ remote: path.optional(), branch: name.optional() }).optional(),
  shell: shell.optional(),
  tool: tool.optional(),
  prompt: prompt.optional(),
  file: file.optional(),
};

const PART_OF = {
  shell: 'shell',
  tool: 'tool',
  prompt: 'prompt',
  file_read: 'file',
  file_write: 'file',
} as const;

/** One thing an agent is about to do. */
export const relayEvent = z
  .strictObject(EVENT_FIELDS)
  .superRefine((given, context) => {
    const part = PART_OF[given.event];
    if (given[part] === undefined)
      context.addIssue({
        code: 'custom',
        path: [part],
        message: `is required for the event "${given.event}"`,
      });
  })
  .meta({ id: 'RelayEvent' });

export type RelayEvent = z.output<typeof relayEvent>;

const finding = z.strictObject({ kind: z.string(), count: z.int() });

const hit = z.strictObject({
  rule: z.string(),
  decision: z.enum(['allow', 'deny', 'ask']),
  mode,
  reason: z.string(),
});

const waitingApproval = z.strictObject({ id: z.string(), url: z.string(), expires_at: moment });

/** What the agent may do about it. */
export const relayDecision = z
  .strictObject({
    decision: decision.describe('`abstain` has nothing against it and leaves it to the agent’s own rules.'),
    rule: z.string().nullable(),
    reason: z.string().nullable(),
    user_message: z.string().nullable(),
    agent_message: z.string().nullable(),
    decision_id: z.string(),
    mode: mode.nullable().describe('Of the rule; null without one.'),
    would: decision.describe('What it would be if every rule were enforced.'),
    on_error: z.enum(['open', 'closed']),
    hits: z.array(hit).describe('Every rule that applies.'),
    findings: z.array(finding),
    approval: waitingApproval.nullable(),
  })
  .meta({ id: 'RelayDecision' });

export type RelayDecision = z.output<typeof relayDecision>;

export const relayBatch = z.strictObject({ events: z.array(relayEvent).min(1).max(100) });
export const relayBatchAnswer = z.strictObject({ data: z.array(relayDecision) });

/** Something that has happened: nothing is decided about it. */
export const relayReport = z
  .strictObject({
    id: name.optional(),
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
    at: moment.optional().describe('When it happened; when it arrived without it.'),
    session_id: name.optional(),
    tool_use_id: name.optional(),
    agent: agent.default({ name: 'unknown' }),
    details: z
      .record(z.string(), z.unknown())
      .default({})
      .describe('At most 8 KB as JSON; secrets are masked.'),
  })
  .meta({ id: 'RelayReport' });

export const relayReports = z.strictObject({ events: z.array(relayReport).min(1).max(500) });
export const relayReportsTaken = z.strictObject({ accepted: z.int() });

export const keptReport = z
  .strictObject({
    id: z.string(),
    created_at: moment,
    type: z.string(),
    session_id: z.string().nullable(),
    tool_use_id: z.string().nullable(),
    agent: z.string(),
    agent_version: z.string().nullable(),
    key: z.string(),
    owner: z.string().nullable(),
    details: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'RelayKeptReport' });

export const reportsQuery = rangeQuery.extend({ session: name.optional(), type: name.optional() });

/** A policy bundle: `payload` is JSON text, signed as it stands. */
export const relayBundle = z
  .strictObject({
    payload: z.string(),
    signature: z.string().describe('Ed25519 over the bytes of `payload`, base64.'),
    key_id: z.string(),
    public_key: z.string().describe('Raw Ed25519 key, base64; pin the first one.'),
  })
  .meta({ id: 'RelayBundle' });

export const hookParams = z.strictObject({ agent: z.string() });

export const keptDecision = z
  .strictObject({
    id: z.string(),
    created_at: moment,
    event: z.enum(RELAY_EVENTS),
    decision,
    would: decision,
    rule: z.string().nullable(),
    mode: mode.nullable(),
    what: z.string().describe('Command, connector and tool, prompt or path; secrets masked, shortened.'),
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
    hits: z.array(hit),
    findings: z.array(finding),
    approval_id: z.string().nullable(),
    latency_us: z.int(),
  })
  .meta({ id: 'RelayKeptDecision' });

export const decisionsQuery = rangeQuery.extend({
  decision: decision.optional(),
  would: decision.optional(),
  event: z.enum(RELAY_EVENTS).optional(),
  rule: name.optional(),
  mode: mode.optional(),
  agent: name.optional(),
  key: name.optional().describe('Name of the platform key.'),
  owner: name.optional(),
  repository: name.optional(),
  session: name.optional(),
  q: z.string().min(2).max(200).optional().describe('Stands in the command, tool, prompt or path.'),
});

export { idParams, pageQuery, RelayRuleSchema, source };

export const waitQuery = z.strictObject({
  wait_seconds: z.coerce.number().int().min(0).max(25).default(0).describe('How long to wait for an answer.'),
});

/** A question to a person. */
export const relayApproval = z
  .strictObject({
    id: z.string(),
    created_at: moment,
    expires_at: moment.describe('Until when it may be answered; once allowed, until when that holds.'),
    state: z.enum(['waiting', 'allowed', 'denied', 'expired']),
    scope: z.enum(['once', 'session']).nullable(),
    decision_id: z.string(),
    event: z.enum(RELAY_EVENTS),
    rules: z.array(z.string()),
    session_id: z.string().nullable(),
    agent: z.string(),
    key: z.string(),
    owner: z.string().nullable(),
    repository: z.string().nullable(),
    what: z.string(),
    reason: z.string(),
    decided_at: moment.nullable(),
    decided_by: z.string().nullable(),
    note: z.string().nullable().describe('Written by who decided, for the agent to read.'),
  })
  .meta({ id: 'RelayApproval' });

export const approvalsQuery = pageQuery.extend({
  state: z.enum(['waiting', 'allowed', 'denied', 'expired']).optional(),
});

export const approvalAnswer = z.strictObject({
  decision: z.enum(['allow', 'deny']),
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
    first_at: moment,
    last_at: moment,
    model_requests: z.int(),
    relay_calls: z.int(),
    last_model_at: moment.nullable(),
    last_relay_at: moment.nullable(),
    covered: z.boolean().nullable().describe('Null for a session that uses no models here.'),
  })
  .meta({ id: 'RelaySession' });

export const sessionsQuery = rangeQuery.extend({
  covered: z
    .enum(['true', 'false'])
    .optional()
    .transform((text) => (text === undefined ? undefined : text === 'true')),
  owner: name.optional(),
  agent: name.optional(),
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
  unnamed_requests: z.int().describe('Of clients that name no session, which nobody can tell.'),
  agent_version: z.string().nullable(),
  client_version: z.string().nullable(),
  last_model_at: moment.nullable(),
  last_relay_at: moment.nullable(),
});

/** Who uses models and never asks the relay comes first. */
export const relayCoverage = z
  .strictObject({
    from: moment,
    to: moment,
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

export const coverageQuery = z.strictObject({ from: moment.optional(), to: moment.optional() });

/** A rule with where it stands. */
export const relayRule = z
  .strictObject({
    id: z.string(),
    rule: z.looseObject({ name: z.string() }).describe('As floe.yaml says it.'),
    mode: mode.describe('The mode it has under `relay.mode`.'),
    hits: z.int().describe('Decisions of the last seven days that it applied to, at most 10,000 looked at.'),
    source,
    created_at: moment.nullable(),
    updated_at: moment.nullable(),
    updated_by: z.string().nullable(),
  })
  .meta({ id: 'RelayRule' });

export const relayRuleBody = z
  .record(z.string(), z.unknown())
  .describe('A rule as floe.yaml says it; null clears a field.');

const drafted = {
  rules: z.array(RelayRuleSchema).max(2_000).optional().describe('Rules to try. Absent: the rules in force.'),
  mode: z.enum(['observe', 'enforce']).optional().describe('`relay.mode` to try.'),
};

export const relaySimulation = z.strictObject({
  ...drafted,
  event: relayEvent,
  key: z.string().default('').describe('Whose event it is, for rules that ask.'),
  team: z.string().nullable().default(null),
  owner: z.string().nullable().default(null),
  at: moment.optional().describe('When it happens, for schedules; now when absent.'),
});

const place = { start: z.int(), end: z.int() };

export const relaySimulationAnswer = z.strictObject({
  decision,
  would: decision,
  rule: z.string().nullable(),
  mode: mode.nullable(),
  user_message: z.string().nullable(),
  agent_message: z.string().nullable(),
  hits: z.array(
    z.strictObject({
      rule: z.string(),
      decision: z.enum(['allow', 'deny', 'ask']),
      mode,
      reason: z.string(),
      place: z.strictObject(place).nullable().describe('In the command, in UTF-16 code units.'),
    }),
  ),
  findings: z.array(finding),
  commands: z.array(
    z.strictObject({
      name: z.string().nullable(),
      args: z.array(z.string().nullable()).describe('Null for a word that nobody knows before it runs.'),
      via: z.array(z.string()).describe('Commands that run this one, outermost first.'),
      does: z.array(z.string()),
      assigns: z.array(z.string()),
      redirects: z.array(z.strictObject({ operator: z.string(), target: z.string().nullable() })),
      ...place,
    }),
  ),
  unclear: z.array(z.strictObject({ because: z.string(), ...place })),
});

export const relayReplay = z.strictObject({
  ...drafted,
  days: z.int().min(1).max(30).default(7),
  limit: z.int().min(1).max(5_000).default(2_000).describe('Decisions judged again, the newest.'),
});

const changed = z.strictObject({
  decision_id: z.string(),
  created_at: moment,
  what: z.string(),
  before: decision,
  after: decision,
  rule: z.string().nullable(),
});

export const relayReplayAnswer = z.strictObject({
  looked_at: z.int(),
  skipped: z.int().describe('Without a kept text, or not judged within the time there is.'),
  newly_denied: z.int(),
  newly_asked: z.int(),
  no_longer_stopped: z.int(),
  unchanged: z.int(),
  changes: z.array(changed).describe('At most 200, newest first.'),
});
