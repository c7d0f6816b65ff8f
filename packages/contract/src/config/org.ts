import * as z from 'zod';
import { PlatformKeySchema } from '../api/keys.ts';
import { TeamSchema } from '../api/teams.ts';
import { createMinutesField, createShortTextField, createSlugField, createTimezoneField } from './fields.ts';
import { BudgetSchema, CacheSchema, LimitSchema, PolicySchema } from './limits-cache-policies.ts';
import { MAX_LIST_ENTRIES, MAX_RESOURCES_PER_ORG } from './max-resources-per-org.ts';
import { BoardSchema, ChannelSchema, MonitorSchema } from './monitoring.ts';
import { ProviderSchema } from './providers.ts';
import { RelaySchema, RelaySettingsSchema } from './relay.ts';
import { IdeSchema, PassthroughSchema, RouteSchema } from './routing.ts';

/**
 * The organization settings that are not lists of named objects. The API changes each one as a
 * whole.
 */
export const ORG_SETTINGS_FIELDS = {
  chat_reasoning: z
    .enum(['strip', 'forward'])
    .default('strip')
    .describe('Whether Chat Completions responses contain reasoning text (`forward`) or not (`strip`).'),
  stored_responses: z
    .boolean()
    .default(true)
    .describe(
      'Whether Floe stores responses (encrypted), so that requests can continue them with `previous_response_id`.',
    ),
  resource_scope: z
    .enum(['key', 'org'])
    .default('key')
    .describe(
      'Which keys can access stored responses and the objects that callers create at providers, such as files, batches and vector stores: only the key that created them (`key`), or all keys in the organization (`org`).',
    ),
  analytics: z
    .strictObject({
      metadata_keys: z
        .array(createShortTextField())
        .max(10)
        .default([])
        .describe('Metadata keys that charts can use to filter and group requests. At most 10.'),
    })
    .prefault({})
    .describe('Settings for analytics.'),
  attribution: z
    .strictObject({
      user_headers: z
        .array(createShortTextField())
        .max(MAX_LIST_ENTRIES.userHeaders)
        .default([])
        .describe(
          'Up to 10 request headers that can contain the end user’s id. Floe uses the first header that is present.',
        ),
    })
    .prefault({})
    .describe('How Floe identifies the end user of a request.'),
  monitoring: z
    .strictObject({
      grace_period_minutes: createMinutesField(0)
        .default(5)
        .describe('Default grace period for monitors, in minutes.'),
    })
    .prefault({})
    .describe('Default settings for monitors.'),
  bodies: z
    .strictObject({
      keep: z
        .boolean()
        .default(false)
        .describe(
          'Whether Floe stores request and response bodies. Floe deletes them after the number of days in `retention.bodies_days`.',
        ),
      redact: z
        .boolean()
        .default(true)
        .describe('Whether Floe removes secrets and personal data from stored bodies.'),
    })
    .prefault({})
    .describe('Storage of request and response bodies.'),
  passthrough: PassthroughSchema.prefault({}).describe('Providers that serve the passthrough paths.'),
  cache: CacheSchema.prefault({}).describe('Settings for the response cache.'),
  ide: IdeSchema.prefault({}).describe('Settings for the IDE adapter.'),
  relay: RelaySettingsSchema.prefault({}).describe(
    'Settings for the relay, which controls coding agents. Does not include the relay rules.',
  ),
};

/** An organization in floe.yaml. */
export const OrgSchema = z
  .strictObject({
    id: createSlugField().describe(
      'Id of the organization, unique in the installation. You cannot change the id.',
    ),
    name: createShortTextField().optional().describe('Display name. Defaults to the id.'),
    timezone: createTimezoneField()
      .default('UTC')
      .describe(
        'IANA time zone for budget periods, schedules of monitors and maintenance windows, boards, days in charts, and monthly usage files.',
      ),
    chat_reasoning: ORG_SETTINGS_FIELDS.chat_reasoning,
    stored_responses: ORG_SETTINGS_FIELDS.stored_responses,
    resource_scope: ORG_SETTINGS_FIELDS.resource_scope,
    analytics: ORG_SETTINGS_FIELDS.analytics,
    attribution: ORG_SETTINGS_FIELDS.attribution,
    monitoring: ORG_SETTINGS_FIELDS.monitoring,
    bodies: ORG_SETTINGS_FIELDS.bodies,
    teams: z
      .array(TeamSchema)
      .max(MAX_RESOURCES_PER_ORG.teams)
      .prefault([])
      .describe('Teams of members and keys.'),
    keys: z
      .array(PlatformKeySchema)
      .max(MAX_RESOURCES_PER_ORG.keys)
      .default([])
      .describe('Platform keys, which callers use to authenticate.'),
    providers: z
      .array(ProviderSchema)
      .max(MAX_RESOURCES_PER_ORG.providers)
      .prefault([])
      .describe('Model providers.'),
    passthrough: ORG_SETTINGS_FIELDS.passthrough,
    routes: z
      .array(RouteSchema)
      .max(MAX_RESOURCES_PER_ORG.routes)
      .prefault([])
      .describe('Rules that map requested models to targets.'),
    limits: z
      .array(LimitSchema)
      .max(MAX_RESOURCES_PER_ORG.limits)
      .default([])
      .describe('Rate limits. Floe admits a request only if it is within every limit that applies.'),
    budgets: z
      .array(BudgetSchema)
      .max(MAX_RESOURCES_PER_ORG.budgets)
      .default([])
      .describe(
        'Spending limits. Floe admits a request only if every hard budget that applies has enough money left.',
      ),
    cache: ORG_SETTINGS_FIELDS.cache,
    policies: z
      .array(PolicySchema)
      .max(MAX_RESOURCES_PER_ORG.policies)
      .default([])
      .describe('Rules for the content of requests and responses.'),
    ide: ORG_SETTINGS_FIELDS.ide,
    monitors: z
      .array(MonitorSchema)
      .max(MAX_RESOURCES_PER_ORG.monitors)
      .prefault([])
      .describe('Monitors that expect beats from jobs.'),
    channels: z
      .array(ChannelSchema)
      .max(MAX_RESOURCES_PER_ORG.channels)
      .default([])
      .describe('Destinations for alerts.'),
    boards: z
      .array(BoardSchema)
      .max(MAX_RESOURCES_PER_ORG.boards)
      .prefault([])
      .describe('Boards (status pages).'),
    relay: RelaySchema.prefault({}).describe(
      'Settings and rules for the relay, which controls coding agents.',
    ),
  })
  .transform((org) => ({ ...org, name: org.name ?? org.id }));
