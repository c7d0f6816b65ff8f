import * as z from 'zod';
import { PlatformKeySchema } from '../api/keys.ts';
import { TeamSchema } from '../api/teams.ts';
import { labelField, minutesField, slugField, timezoneField } from './fields.ts';
import { BudgetSchema, CacheSchema, LimitSchema, PolicySchema } from './guardrails.ts';
import { BoardSchema, ChannelSchema, MonitorSchema } from './monitoring.ts';
import { ProviderSchema } from './providers.ts';
import { RelaySchema, RelaySettingsSchema } from './relay.ts';
import { IdeSchema, PassthroughSchema, RouteSchema } from './routing.ts';

/** Org settings that are not lists of named objects. The API changes each one as a whole. */
export const ORG_SETTINGS = {
  chat_reasoning: z
    .enum(['strip', 'forward'])
    .default('strip')
    .describe('Whether Chat Completions responses contain reasoning text (`forward`) or not (`strip`).'),
  stored_responses: z
    .boolean()
    .default(true)
    .describe('Whether Floe stores encrypted responses for `previous_response_id`.'),
  resource_scope: z
    .enum(['key', 'org'])
    .default('key')
    .describe(
      'Which keys can access files, batches and stored responses: the key that created them, or all keys of the organization.',
    ),
  analytics: z
    .strictObject({
      metadata_keys: z
        .array(labelField())
        .max(10)
        .default([])
        .describe('Metadata keys by which analytics can filter and group. At most 10.'),
    })
    .prefault({})
    .describe('Settings of analytics.'),
  attribution: z
    .strictObject({
      user_headers: z
        .array(labelField())
        .default([])
        .describe(
          'Request headers that contain the id of the end user. The first header that is present is used.',
        ),
    })
    .prefault({})
    .describe('How Floe identifies the end user of a request.'),
  monitoring: z
    .strictObject({
      grace_period_minutes: minutesField(0).default(5).describe('Default grace period of monitors.'),
    })
    .prefault({})
    .describe('Default settings of monitors.'),
  bodies: z
    .strictObject({
      keep: z
        .boolean()
        .default(false)
        .describe('Whether Floe stores bodies of requests and responses for `retention.bodies_days`.'),
      redact: z
        .boolean()
        .default(true)
        .describe('Whether Floe removes secrets and personal data from stored bodies.'),
    })
    .prefault({})
    .describe('Logging of request and response bodies.'),
  passthrough: PassthroughSchema.prefault({}).describe('Providers of the passthrough paths.'),
  cache: CacheSchema.prefault({}).describe('Settings of the response cache.'),
  ide: IdeSchema.prefault({}).describe('Settings of the IDE adapter.'),
  relay: RelaySettingsSchema.prefault({}).describe('Governance of coding agents, without its rules.'),
};

/** An organization in floe.yaml. */
export const OrgSchema = z
  .strictObject({
    id: slugField().describe('Id of the organization. Unique in the installation. Cannot be changed.'),
    name: labelField().optional().describe('Display name. Defaults to the id.'),
    timezone: timezoneField()
      .default('UTC')
      .describe('Time zone of budget periods, schedules, chart days and monthly files.'),
    chat_reasoning: ORG_SETTINGS.chat_reasoning,
    stored_responses: ORG_SETTINGS.stored_responses,
    resource_scope: ORG_SETTINGS.resource_scope,
    analytics: ORG_SETTINGS.analytics,
    attribution: ORG_SETTINGS.attribution,
    monitoring: ORG_SETTINGS.monitoring,
    bodies: ORG_SETTINGS.bodies,
    teams: z.array(TeamSchema).prefault([]).describe('Teams of the organization.'),
    keys: z.array(PlatformKeySchema).default([]).describe('Platform keys of the organization.'),
    providers: z.array(ProviderSchema).prefault([]).describe('Providers of the organization.'),
    passthrough: ORG_SETTINGS.passthrough,
    routes: z.array(RouteSchema).prefault([]).describe('Rules that map requested models to targets.'),
    limits: z
      .array(LimitSchema)
      .default([])
      .describe('Rate limits. A request must be within every limit that applies to it.'),
    budgets: z
      .array(BudgetSchema)
      .default([])
      .describe('Spending limits. A request must be within every budget that applies to it.'),
    cache: ORG_SETTINGS.cache,
    policies: z.array(PolicySchema).default([]).describe('Rules on the content of requests and responses.'),
    ide: ORG_SETTINGS.ide,
    monitors: z.array(MonitorSchema).prefault([]).describe('Monitors that expect beats from jobs.'),
    channels: z.array(ChannelSchema).default([]).describe('Destinations of alerts.'),
    boards: z.array(BoardSchema).prefault([]).describe('Boards (status pages).'),
    relay: RelaySchema.prefault({}).describe('Governance of coding agents.'),
  })
  .transform((org) => ({ ...org, name: org.name ?? org.id }));
