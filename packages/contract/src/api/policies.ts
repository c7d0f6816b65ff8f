import * as z from 'zod';
import { POLICY_FIELDS, PolicySchema } from '../config/guardrails.ts';
import { orderedConfigEntryFields, positionField, readOnlyEntryFields, toWritableFields } from './entries.ts';
import { dateOrTimestamp, timestamp } from './page.ts';

const detect = z.strictObject({ secrets: z.boolean(), pii: z.array(z.string()) });

/** A rule on requests or answers. */
export const policyResource = z
  .strictObject({
    id: z.string().describe('The same as `name`.'),
    name: z.string(),
    enabled: z.boolean(),
    on: z.enum(['request', 'answer']),
    when: z.string().nullable(),
    detect: detect.nullable(),
    action: z.enum(['allow', 'deny', 'flag', 'redact']),
    mode: z.enum(['monitor', 'enforce']),
    message: z.string().nullable(),
    ...orderedConfigEntryFields,
  })
  .meta({ id: 'Policy' });

/** Absent fields stay, or have their default; null returns to the default. */
export const policyInput = z.strictObject({
  ...toWritableFields(POLICY_FIELDS),
  position: positionField,
  ...readOnlyEntryFields,
});

const object = z.record(z.string(), z.unknown());

const sample = z.strictObject({
  surface: z.enum(['chat', 'responses', 'messages', 'embeddings']).default('chat'),
  request: object.describe('A request body of that surface.'),
  answer: object.optional().describe('A whole answer to it, in the same dialect.'),
  key: z.string().default('').describe('Name of a platform key, for conditions.'),
  team: z.string().nullable().default(null),
  owner: z.string().nullable().default(null),
  end_user: z.string().nullable().default(null),
  metadata: object.nullable().default(null),
});

export const policyDryRunInput = z.strictObject({
  policies: z
    .array(PolicySchema)
    .min(1)
    .max(200)
    .optional()
    .describe('Rules to try. Absent: the rules in force. Each is judged as if it were enforced.'),
  samples: z.array(sample).min(1).max(50).optional().describe('What to judge. This or `stored_bodies`.'),
  stored_bodies: z
    .strictObject({
      from: timestamp.describe('Bodies from here …'),
      to: timestamp.optional().describe('… to here; absent: until now.'),
      limit: z.int().min(1).max(500).default(100).describe('At most so many, the newest first.'),
    })
    .optional()
    .describe('Evaluates stored bodies of past requests (`orgs[].bodies.keep`). Set this or `samples`.'),
});

const sampleResult = z.strictObject({
  outcome: z.enum(['passed', 'denied', 'redacted']),
  decisions: z.array(
    z.strictObject({
      policy: z.string(),
      mode: z.enum(['monitor', 'enforce']).describe('The mode the rule has; here all were enforced.'),
      outcome: z.string(),
      because: z.string(),
    }),
  ),
  body: z.unknown().describe('The body after redaction. `null` if nothing is redacted.'),
});

export const policyDryRunResponse = z.strictObject({
  data: z.array(
    z.strictObject({
      id: z.string().nullable().describe('Of the request, for kept bodies.'),
      request: sampleResult,
      answer: sampleResult
        .nullable()
        .describe('Null without a sample answer, and when the request is denied.'),
    }),
  ),
  stored_bodies: z
    .strictObject({
      read: z.int().describe('Kept bodies that were read.'),
      evaluated: z.int(),
      skipped: z.int().describe('Cut off, no JSON, or of a surface that policies do not judge.'),
      has_more: z.boolean().describe('The range holds more than were read.'),
    })
    .nullable()
    .describe('Null for samples. Of kept bodies only the decisions are shown, never the text.'),
});

export const policyDryRunJob = z.strictObject({
  policies: z
    .array(PolicySchema)
    .min(1)
    .max(200)
    .optional()
    .describe('Rules to try. Absent: the rules in force. Each is judged as if it were enforced.'),
  from: dateOrTimestamp.describe('Bodies from here …'),
  to: dateOrTimestamp.optional().describe('… to here; absent: until now.'),
  limit: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(100_000)
    .describe('At most so many, the newest first; `has_more` of the result says that there were others.'),
});

/** What came of the job, as its `result`. */
export const policyDryRunResult = z
  .strictObject({
    from: timestamp,
    to: timestamp,
    timezone: z.string().describe('Of `days`: that of the organization.'),
    evaluated: z.int().describe('Requests that were judged.'),
    skipped: z
      .int()
      .describe('Kept bodies that cannot be: cut off, no JSON, or of a surface that is not judged.'),
    matched: z.int().describe('Requests that a rule would have done something with.'),
    denied: z.int().describe('Of these, refused.'),
    redacted: z.int().describe('Of these, gone on without what was taken out.'),
    not_evaluated: z.int().describe('Requests for which a rule could not be decided.'),
    has_more: z.boolean().describe('The range holds more than `limit`.'),
    key_count: z.int().describe('Keys whose requests matched.'),
    keys: z.array(z.strictObject({ name: z.string(), matched: z.int() })).describe('Most first.'),
    days: z.array(z.strictObject({ date: z.string(), matched: z.int() })),
    samples: z
      .array(
        z.strictObject({
          id: z.string().describe('Of the request.'),
          created_at: timestamp,
          key: z.string(),
          policy: z.string(),
          outcome: z.string(),
          because: z.string(),
        }),
      )
      .describe('The newest that matched.'),
  })
  .meta({ id: 'PolicyDryRunResult' });
