import * as z from 'zod';
import {
  crossFieldRule,
  labelField,
  modelPatternField,
  positiveCountField,
  type RawFields,
  type ReportIssue,
  slugField,
} from './fields.ts';

/** Kinds of subjects that limits and budgets count. */
export const LIMIT_SUBJECTS = ['org', 'team', 'key', 'owner', 'end_user'] as const;

/**
 * What a limit or budget counts: one named subject (`scope`), or each subject of a kind separately (`per`).
 */
const subjectFields = {
  scope: z
    .enum(LIMIT_SUBJECTS)
    .optional()
    .describe(
      'Counts all requests of one subject together: the organization, or the team, key, owner or end user in the field of that name.',
    ),
  per: z.enum(LIMIT_SUBJECTS).optional().describe('Counts each subject of this kind separately.'),
  team: slugField().optional().describe('Id of the team. Required with `scope: team`.'),
  key: labelField().optional().describe('Name of the platform key. Required with `scope: key`.'),
  owner: labelField().optional().describe('Name of the owner. Required with `scope: owner`.'),
  end_user: labelField().optional().describe('Id of the end user. Required with `scope: end_user`.'),
  model: modelPatternField()
    .optional()
    .describe('Applies only to requests for models that match this pattern.'),
  on_store_error: z
    .enum(['local', 'open', 'closed'])
    .default('local')
    .describe(
      'What applies while the shared store is unavailable. `local`: each process enforces its share of the limit. `open`: requests are admitted without a limit. `closed`: requests are rejected with 503.',
    ),
} as const;

function validateSubject({ scope, per, ...fields }: RawFields, report: ReportIssue): void {
  if (scope !== undefined && per !== undefined)
    report(['per'], 'scope and per cannot be combined; set only one of them');
  if (scope === undefined && per === undefined)
    report([], 'must have scope (one shared limit) or per (a separate limit for each subject)');
  for (const field of ['team', 'key', 'owner', 'end_user'] as const) {
    if (scope === field && fields[field] === undefined) report([field], `is required with scope: ${field}`);
    if (scope !== field && fields[field] !== undefined)
      report([field], `is only allowed with scope: ${field}`);
  }
}

/** A rate limit in floe.yaml. */
export const LimitSchema = z
  .strictObject({
    name: slugField().optional().describe('Name in the error message when the limit rejects a request.'),
    ...subjectFields,
    rpm: positiveCountField().optional().describe('Maximum number of requests in any 60 seconds.'),
    tpm: positiveCountField().optional().describe('Maximum number of tokens in any 60 seconds.'),
    concurrency: positiveCountField().optional().describe('Concurrent requests.'),
  })
  .check(
    crossFieldRule((limit, report) => {
      validateSubject(limit, report);
      const { rpm, tpm, concurrency } = limit;
      if (rpm === undefined && tpm === undefined && concurrency === undefined)
        report([], 'must have at least one of rpm, tpm and concurrency');
    }),
  );

/** A budget in floe.yaml. */
export const BudgetSchema = z
  .strictObject({
    name: slugField().describe(
      'Unique in the organization. The name is in the error message when the budget rejects a request.',
    ),
    ...subjectFields,
    metadata: z
      .record(z.string(), z.string())
      .default({})
      .describe('Applies only to requests whose metadata has these values.'),
    period: z
      .enum(['day', 'week', 'month', 'total'])
      .describe('How often the budget resets, in the time zone of the organization.'),
    limit_usd: z.number().positive().max(1_000_000_000).describe('Spending limit in US dollars per period.'),
    mode: z
      .enum(['hard', 'soft'])
      .default('hard')
      .describe('`hard` rejects requests with 402. `soft` only sends alerts.'),
  })
  .check(crossFieldRule(validateSubject));

/** The settings of the response cache in floe.yaml. */
export const CacheSchema = z.strictObject({
  enabled: z.boolean().default(false).describe('Whether equal requests are answered from the cache.'),
  ttl_seconds: positiveCountField().default(3_600).describe('How long a cached response may be used.'),
  scope: z
    .enum(['org', 'key'])
    .default('key')
    .describe('Who shares cached responses: all keys of the organization, or only requests of the same key.'),
});

const DetectSchema = z
  .strictObject({
    secrets: z.boolean().default(false).describe('Whether to look for API keys, tokens and private keys.'),
    pii: z
      .array(z.enum(['email', 'phone', 'credit_card', 'iban', 'us_ssn']))
      .default([])
      .describe('Kinds of personal data to look for. Defaults to none.'),
  })
  .refine(({ secrets, pii }) => secrets || pii.length > 0, 'must have secrets, pii or both')
  .describe('Secrets and personal data that the policy searches for.');

/** Fields of a policy in floe.yaml. */
export const POLICY_FIELDS = {
  name: slugField().describe(
    'Unique in the organization. The name is in the error message and in every decision.',
  ),
  enabled: z.boolean().default(true).describe('Set to `false` to disable the policy.'),
  on: z.enum(['request', 'answer']).describe('Whether the policy evaluates requests or responses.'),
  when: z.string().min(1).max(4_000).optional().describe('CEL condition. The policy applies if it is true.'),
  detect: DetectSchema.optional(),
  action: z.enum(['allow', 'deny', 'flag', 'redact']).describe('What happens when the policy applies.'),
  mode: z
    .enum(['monitor', 'enforce'])
    .default('monitor')
    .describe('`monitor` only records what the policy would do. `enforce` does it.'),
  message: z
    .string()
    .min(1)
    .max(1_000)
    .optional()
    .describe('Message for callers whose requests the policy denies.'),
};

/** A policy in floe.yaml. */
export const PolicySchema = z.strictObject(POLICY_FIELDS).check(
  crossFieldRule(({ when, detect, action }, report) => {
    if (when === undefined && detect === undefined) report([], 'must have a condition: when, detect or both');
    if (action === 'redact' && detect === undefined) report(['detect'], 'is required with action: redact');
  }),
);
