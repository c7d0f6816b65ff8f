import * as z from 'zod';
import { DetectSchema } from './detect.ts';
import {
  createCrossFieldCheck,
  createModelPatternField,
  createPositiveCountField,
  createShortTextField,
  createSlugField,
  type IssueReporter,
  type RawObjectFields,
} from './fields.ts';

/** The kinds of subjects that a limit or budget can apply to. */
export const LIMIT_SUBJECT_KINDS = ['org', 'team', 'key', 'owner', 'end_user'] as const;

/**
 * What a limit or budget counts: one named subject (`scope`), or each subject of a kind separately (`per`).
 */
const subjectFields = {
  scope: z
    .enum(LIMIT_SUBJECT_KINDS)
    .optional()
    .describe(
      'Subject whose requests share one counter. For `team`, `key`, `owner` or `end_user`, identify the subject in the field of the same name.',
    ),
  per: z
    .enum(LIMIT_SUBJECT_KINDS)
    .optional()
    .describe('Type of subject, such as `owner`. Each subject of this type has a separate counter.'),
  team: createSlugField().optional().describe('Id of the team. Required with `scope: team`.'),
  key: createShortTextField().optional().describe('Name of the platform key. Required with `scope: key`.'),
  owner: createShortTextField().optional().describe('Name of the owner. Required with `scope: owner`.'),
  end_user: createShortTextField()
    .optional()
    .describe('Id of the end user. Required with `scope: end_user`.'),
  model: createModelPatternField()
    .optional()
    .describe('Counts only requests for models that match this pattern.'),
  on_store_error: z
    .enum(['local', 'open', 'closed'])
    .default('local')
    .describe(
      'What Floe does while the shared store is unavailable. `local`: each process enforces its share of the limit or budget. `open`: Floe admits all requests. `closed`: Floe rejects requests with status 503.',
    ),
} as const;

function validateSubject({ scope, per, ...fields }: RawObjectFields, report: IssueReporter): void {
  if (scope !== undefined && per !== undefined)
    report(['per'], 'scope and per cannot be combined; set only one of them');
  if (scope === undefined && per === undefined)
    report([], 'must have scope (one shared counter) or per (a separate counter for each subject)');
  for (const field of ['team', 'key', 'owner', 'end_user'] as const) {
    if (scope === field && fields[field] === undefined) report([field], `is required with scope: ${field}`);
    if (scope !== field && fields[field] !== undefined)
      report([field], `is only allowed with scope: ${field}`);
  }
}

/** A rate limit in floe.yaml. */
export const LimitSchema = z
  .strictObject({
    name: createSlugField()
      .optional()
      .describe(
        'Name of the limit, unique in the organization. If the limit rejects a request, the error message contains this name.',
      ),
    ...subjectFields,
    rpm: createPositiveCountField().optional().describe('Maximum number of requests in any 60 seconds.'),
    tpm: createPositiveCountField().optional().describe('Maximum number of tokens in any 60 seconds.'),
    concurrency: createPositiveCountField().optional().describe('Maximum number of concurrent requests.'),
  })
  .check(
    createCrossFieldCheck((limit, report) => {
      validateSubject(limit, report);
      const { rpm, tpm, concurrency } = limit;
      if (rpm === undefined && tpm === undefined && concurrency === undefined)
        report([], 'must have at least one of rpm, tpm and concurrency');
    }),
  );

/** A budget in floe.yaml. */
export const BudgetSchema = z
  .strictObject({
    name: createSlugField().describe(
      'Name of the budget, unique in the organization. If the budget rejects a request, the error message contains this name.',
    ),
    ...subjectFields,
    metadata: z
      .record(z.string(), z.string())
      .default({})
      .describe('Counts only requests whose metadata has these values.'),
    period: z
      .enum(['day', 'week', 'month', 'total'])
      .describe(
        'How often the budget resets. Periods follow the organization’s time zone. `total` never resets.',
      ),
    limit_usd: z.number().positive().max(1_000_000_000).describe('Spending limit in US dollars per period.'),
    mode: z
      .enum(['hard', 'soft'])
      .default('hard')
      .describe(
        '`hard`: if a request could exceed the budget, Floe rejects it with status 402, or with status 429 if requests in progress have reserved the remaining amount. `soft`: Floe only sends alerts.',
      ),
  })
  .check(createCrossFieldCheck(validateSubject));

/** The settings of the response cache in floe.yaml. */
export const CacheSchema = z.strictObject({
  enabled: z
    .boolean()
    .default(false)
    .describe('Whether Floe returns cached responses for identical requests.'),
  ttl_seconds: createPositiveCountField()
    .default(3_600)
    .describe('How long a cached response is valid, in seconds.'),
  scope: z
    .enum(['org', 'key'])
    .default('key')
    .describe(
      'Whether all keys in the organization share cached responses (`org`), or each key has its own (`key`).',
    ),
});

/** The fields of a policy in floe.yaml. */
export const POLICY_FIELDS = {
  name: createSlugField().describe(
    'Name of the policy, unique in the organization. Error messages and the request log contain this name.',
  ),
  enabled: z.boolean().default(true).describe('Set to `false` to disable the policy.'),
  on: z
    .enum(['request', 'answer'])
    .describe('Whether the policy evaluates requests (`request`) or responses (`answer`).'),
  when: z
    .string()
    .min(1)
    .max(4_000)
    .optional()
    .describe(
      'Condition in the Common Expression Language (CEL). The policy applies if the condition is true.',
    ),
  detect: DetectSchema.optional().describe(
    'Secrets or personal data to search for. The policy applies if Floe finds any. If `when` is also set, its condition must also be true.',
  ),
  action: z
    .enum(['allow', 'deny', 'flag', 'redact'])
    .describe(
      'What Floe does if the policy applies: skip all later policies (`allow`), reject the request or the response (`deny`), only record the match (`flag`), or replace the detected values (`redact`).',
    ),
  mode: z
    .enum(['monitor', 'enforce'])
    .default('monitor')
    .describe(
      'With `monitor`, Floe only records what the policy would do. With `enforce`, Floe performs the action.',
    ),
  message: z
    .string()
    .min(1)
    .max(1_000)
    .optional()
    .describe('Error message that callers receive if the policy denies a request or response.'),
};

/** A policy in floe.yaml. */
export const PolicySchema = z.strictObject(POLICY_FIELDS).check(
  createCrossFieldCheck(({ when, detect, action }, report) => {
    if (when === undefined && detect === undefined)
      report([], 'must have at least one of the fields detect and when');
    if (action === 'redact' && detect === undefined) report(['detect'], 'is required with action: redact');
  }),
);
