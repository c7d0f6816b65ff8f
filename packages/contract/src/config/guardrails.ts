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

/** Kinds of subject that limits and budgets count. */
export const LIMIT_SUBJECTS = ['org', 'team', 'key', 'owner', 'end_user'] as const;

/** What a limit or budget counts: one named subject (`scope`) or each subject of a kind (`per`). */
const subjectFields = {
  scope: z.enum(LIMIT_SUBJECTS).optional().describe('One bucket, for the subject named beside it.'),
  per: z.enum(LIMIT_SUBJECTS).optional().describe('One bucket for each subject of this kind.'),
  team: slugField().optional().describe('The team, with `scope: team`.'),
  key: labelField().optional().describe('Name of the platform key, with `scope: key`.'),
  owner: labelField().optional().describe('The owner, with `scope: owner`.'),
  end_user: labelField().optional().describe('The end user, with `scope: end_user`.'),
  model: modelPatternField().optional().describe('Only requests for models that match.'),
  on_store_error: z
    .enum(['local', 'open', 'closed'])
    .default('local')
    .describe(
      'While the shared store is away: `local` gives each process its share, `open` admits, `closed` refuses with 503.',
    ),
} as const;

function validateSubject({ scope, per, ...fields }: RawFields, report: ReportIssue): void {
  if (scope !== undefined && per !== undefined)
    report(['per'], 'scope and per cannot be combined; set only one of them');
  if (scope === undefined && per === undefined)
    report([], 'requires scope (one shared limit) or per (a separate limit for each)');
  for (const field of ['team', 'key', 'owner', 'end_user'] as const) {
    if (scope === field && fields[field] === undefined) report([field], `is required with scope: ${field}`);
    if (scope !== field && fields[field] !== undefined)
      report([field], `is only allowed with scope: ${field}`);
  }
}

export const LimitSchema = z
  .strictObject({
    name: slugField().optional().describe('Shown when the limit refuses a request.'),
    ...subjectFields,
    rpm: positiveCountField().optional().describe('Requests in any 60 seconds.'),
    tpm: positiveCountField().optional().describe('Tokens in any 60 seconds.'),
    concurrency: positiveCountField().optional().describe('Requests at the same time.'),
  })
  .check(
    crossFieldRule((limit, report) => {
      validateSubject(limit, report);
      const { rpm, tpm, concurrency } = limit;
      if (rpm === undefined && tpm === undefined && concurrency === undefined)
        report([], 'requires at least one of rpm, tpm and concurrency');
    }),
  );

export const BudgetSchema = z
  .strictObject({
    name: slugField().describe('Unique in the org; named in the 402.'),
    ...subjectFields,
    metadata: z
      .record(z.string(), z.string())
      .default({})
      .describe('Only requests whose metadata has these values.'),
    period: z
      .enum(['day', 'week', 'month', 'total'])
      .describe('When spending starts again from zero, in the org’s time zone.'),
    limit_usd: z.number().positive().max(1_000_000_000).describe('US dollars per period.'),
    mode: z.enum(['hard', 'soft']).default('hard').describe('`hard` refuses with 402, `soft` only alerts.'),
  })
  .check(crossFieldRule(validateSubject));

export const CacheSchema = z.strictObject({
  enabled: z.boolean().default(false).describe('Answers an equal request from the last complete answer.'),
  ttl_seconds: positiveCountField().default(3_600).describe('How long an answer may be reused.'),
  scope: z
    .enum(['org', 'key'])
    .default('key')
    .describe('Who shares answers: the whole org, or one key with itself.'),
});

const DetectSchema = z
  .strictObject({
    secrets: z.boolean().default(false).describe('API keys, tokens and private keys.'),
    pii: z
      .array(z.enum(['email', 'phone', 'credit_card', 'iban', 'us_ssn']))
      .default([])
      .describe('Kinds of personal data to look for.'),
  })
  .refine(({ secrets, pii }) => secrets || pii.length > 0, 'must set secrets, pii or both')
  .describe('Content the rule looks for.');

/** What floe.yaml says about a policy, field by field. */
export const POLICY_FIELDS = {
  name: slugField().describe('Unique in the org; named in the 403 and in every decision.'),
  enabled: z.boolean().default(true).describe('`false` takes the rule out of use.'),
  on: z.enum(['request', 'answer']).describe('Which side of the exchange the rule reads.'),
  when: z.string().min(1).max(4_000).optional().describe('CEL condition; true means the rule applies.'),
  detect: DetectSchema.optional(),
  action: z.enum(['allow', 'deny', 'flag', 'redact']).describe('What happens when the rule applies.'),
  mode: z
    .enum(['monitor', 'enforce'])
    .default('monitor')
    .describe('`monitor` records what the rule would do.'),
  message: z.string().min(1).max(1_000).optional().describe('Message that a denied caller receives.'),
};

export const PolicySchema = z.strictObject(POLICY_FIELDS).check(
  crossFieldRule(({ when, detect, action }, report) => {
    if (when === undefined && detect === undefined) report([], 'requires a condition: when, detect or both');
    if (action === 'redact' && detect === undefined) report(['detect'], 'is required with action: redact');
  }),
);
