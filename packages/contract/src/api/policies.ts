import * as z from 'zod';
import { POLICY_FIELDS, PolicySchema } from '../config/limits-cache-policies.ts';
import { dateOrTimestamp, timestamp } from './page.ts';
import {
  orderedResourceMetadataFields,
  positionField,
  readOnlyMetadataFields,
  toWritableFields,
} from './resource-fields.ts';

const detect = z.strictObject({ secrets: z.boolean(), pii: z.array(z.string()) });

/** A policy on requests or responses. */
export const policyResource = z
  .strictObject({
    id: z.string().describe('Id of the policy. Equal to `name`.'),
    name: z.string(),
    enabled: z.boolean(),
    on: z.enum(['request', 'answer']),
    when: z.string().nullable(),
    detect: detect.nullable(),
    action: z.enum(['allow', 'deny', 'flag', 'redact']),
    mode: z.enum(['monitor', 'enforce']),
    message: z.string().nullable(),
    ...orderedResourceMetadataFields,
  })
  .meta({ id: 'Policy' });

/**
 * The request to create, update or replace a policy. In an update, absent fields keep their values;
 * otherwise, they get their defaults. Null resets a field to its default.
 */
export const policyInput = z.strictObject({
  ...toWritableFields(POLICY_FIELDS),
  position: positionField,
  ...readOnlyMetadataFields,
});

const object = z.record(z.string(), z.unknown());

const sample = z.strictObject({
  surface: z.enum(['chat', 'responses', 'messages', 'embeddings']).default('chat'),
  request: object.describe('Request body in the format of the surface.'),
  answer: object.optional().describe('Complete response to the request, in the format of the surface.'),
  key: z.string().default('').describe('Name of the platform key, for conditions that use the key name.'),
  team: z.string().nullable().default(null),
  owner: z.string().nullable().default(null),
  end_user: z.string().nullable().default(null),
  metadata: object.nullable().default(null),
});

const redactedWhenStored = z
  .int()
  .describe(
    'Number of evaluated requests in which Floe redacted secrets or personal data when it stored the bodies (`orgs[].bodies.redact`). Detectors cannot find these values, so such a request can have the outcome `passed` although the policy would have applied to it.',
  );

/** The request to evaluate policies against given or stored bodies. */
export const policyDryRunInput = z.strictObject({
  policies: z
    .array(PolicySchema)
    .min(1)
    .max(200)
    .optional()
    .describe(
      'Policies to evaluate. Defaults to the policies in force. Floe evaluates each as if its mode were `enforce`.',
    ),
  samples: z
    .array(sample)
    .min(1)
    .max(50)
    .optional()
    .describe('Samples to evaluate. Set either this field or `stored_bodies`.'),
  stored_bodies: z
    .strictObject({
      from: timestamp.describe(
        'Start of the time range. Floe evaluates stored bodies of requests in this range.',
      ),
      to: timestamp.optional().describe('End of the time range, exclusive. Defaults to now.'),
      limit: z
        .int()
        .min(1)
        .max(500)
        .default(100)
        .describe('Maximum number of stored bodies to evaluate, newest first.'),
    })
    .optional()
    .describe(
      'Evaluates stored bodies of past requests (`orgs[].bodies.keep`). Set either this field or `samples`.',
    ),
});

const sampleResult = z.strictObject({
  outcome: z.enum(['passed', 'denied', 'redacted']),
  decisions: z.array(
    z.strictObject({
      policy: z.string(),
      mode: z
        .enum(['monitor', 'enforce'])
        .describe(
          'Configured mode of the policy. The dry run evaluates all policies as if they were enforced.',
        ),
      outcome: z.string(),
      reason: z.string(),
    }),
  ),
  body: z
    .unknown()
    .describe(
      'The body after redaction. `null` unless `outcome` is `redacted`, and always `null` for stored bodies.',
    ),
});

export const policyDryRunResult = z.strictObject({
  data: z.array(
    z.strictObject({
      id: z.string().nullable().describe('Id of the request, for stored bodies. `null` for samples.'),
      request: sampleResult,
      answer: sampleResult
        .nullable()
        .describe(
          'Result for the response. `null` if there is no response, if the response cannot be evaluated, or if the request is denied.',
        ),
    }),
  ),
  stored_bodies: z
    .strictObject({
      read: z.int().describe('Number of stored bodies that were read.'),
      evaluated: z.int(),
      skipped: z
        .int()
        .describe(
          'Number of stored bodies that cannot be evaluated because they are truncated, are not JSON, or belong to a surface that policies do not evaluate.',
        ),
      redacted_when_stored: redactedWhenStored,
      has_more: z.boolean().describe('Whether the time range contains more bodies than were read.'),
    })
    .nullable()
    .describe(
      'Counts for stored bodies. `null` for samples. For stored bodies, the response contains only decisions, never the text.',
    ),
});

/**
 * The request to start a background job that evaluates policies against the stored bodies of several days.
 */
export const policyDryRunJobInput = z.strictObject({
  policies: z
    .array(PolicySchema)
    .min(1)
    .max(200)
    .optional()
    .describe(
      'Policies to evaluate. Defaults to the policies in force. Floe evaluates each as if its mode were `enforce`.',
    ),
  from: dateOrTimestamp.describe(
    'Start of the time range. Floe evaluates stored bodies of requests in this range.',
  ),
  to: dateOrTimestamp
    .optional()
    .describe(
      'End of the time range, exclusive. Defaults to now. In `from` and `to`, a date means the start of the day in the organization’s time zone.',
    ),
  limit: z
    .int()
    .min(1)
    .max(1_000_000)
    .default(100_000)
    .describe(
      'Maximum number of stored bodies to evaluate, newest first. If there are more, the result has `has_more: true`.',
    ),
});

/** The `result` of a finished dry-run job. */
export const policyDryRunJobResult = z
  .strictObject({
    from: timestamp,
    to: timestamp,
    timezone: z.string().describe('IANA time zone of `days`: the time zone of the organization.'),
    evaluated: z.int().describe('Number of evaluated requests.'),
    skipped: z
      .int()
      .describe(
        'Number of stored bodies that cannot be evaluated because they are truncated, are not JSON, or belong to a surface that policies do not evaluate.',
      ),
    matched: z.int().describe('Number of requests to which a policy would have applied.'),
    denied: z
      .int()
      .describe(
        'Number of evaluated requests that would have been denied, or whose responses would have been denied.',
      ),
    redacted: z
      .int()
      .describe(
        'Number of evaluated requests that would have been redacted, or whose responses would have been redacted. Does not include the requests that `denied` counts.',
      ),
    not_evaluated: z.int().describe('Number of requests for which a policy could not be evaluated.'),
    redacted_when_stored: redactedWhenStored,
    has_more: z.boolean().describe('Whether the time range contains more stored bodies than `limit`.'),
    key_count: z.int().describe('Number of keys with matching requests.'),
    keys: z
      .array(z.strictObject({ name: z.string(), matched: z.int() }))
      .describe('Keys with matching requests, most matches first. At most 20.'),
    days: z.array(z.strictObject({ date: z.string(), matched: z.int() })),
    samples: z
      .array(
        z.strictObject({
          id: z.string().describe('Id of the request.'),
          created_at: timestamp,
          key: z.string(),
          policy: z.string(),
          outcome: z.string(),
          reason: z.string(),
        }),
      )
      .describe('Newest matching requests. At most 20.'),
  })
  .meta({ id: 'PolicyDryRunResult' });
