import * as z from 'zod';
import { BudgetSchema, LIMIT_SUBJECT_KINDS, LimitSchema } from '../config/limits-cache-policies.ts';
import { nanoUsd, usd } from './money.ts';
import { timestamp } from './page.ts';
import { readOnlyField, toWritableFields } from './resource-fields.ts';
import { resourceSource } from './resource-source.ts';

const subject = z.enum(LIMIT_SUBJECT_KINDS);
const storeError = z.enum(['local', 'open', 'closed']);
const period = z.enum(['day', 'week', 'month', 'total']);
const mode = z.enum(['hard', 'soft']);

const subjectFields = {
  scope: subject.nullable(),
  per: subject.nullable(),
  team: z.string().nullable(),
  key: z.string().nullable(),
  owner: z.string().nullable(),
  end_user: z.string().nullable(),
  model: z.string().nullable(),
  on_store_error: storeError,
};

const resourceFields = {
  source: resourceSource,
  created_at: timestamp.nullable().describe('Time of creation. `null` for a resource in `floe.yaml`.'),
  updated_at: timestamp.nullable(),
  updated_by: z.string().nullable(),
};

/**
 * A rate limit and its current usage. If `per` is set, usage is counted separately for each subject, and
 * `state` is null because there is no single usage.
 */
export const limitResource = z
  .strictObject({
    id: z.string(),
    name: z.string().nullable(),
    ...subjectFields,
    rpm: z.int().nullable(),
    tpm: z.int().nullable(),
    concurrency: z.int().nullable(),
    state: z
      .strictObject({
        rpm_used: z.int().nullable(),
        rpm_reset_ms: z
          .int()
          .nullable()
          .describe(
            'Milliseconds until `rpm_used` is 0 if no further requests arrive. `null` if `rpm` is not set.',
          ),
        tpm_used: z.int().nullable(),
        tpm_reset_ms: z.int().nullable(),
        concurrency_used: z.int().nullable(),
      })
      .nullable(),
    ...resourceFields,
  })
  .meta({ id: 'Limit' });

/**
 * A budget and its spending in the current period. If `per` is set, spending is counted separately for each
 * subject, and `state` is null because there is no single amount.
 */
export const budgetResource = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    ...subjectFields,
    metadata: z.record(z.string(), z.string()),
    period,
    limit_usd: z.number(),
    mode,
    state: z
      .strictObject({
        spent_nano_usd: nanoUsd,
        spent_usd: usd,
        reserved_nano_usd: nanoUsd.describe(
          'Amount reserved for requests in progress. It is not spent yet and is not available to other requests.',
        ),
        reserved_usd: usd,
        forecast_nano_usd: nanoUsd
          .nullable()
          .describe(
            'Forecast for the end of the period: the amount spent divided by the elapsed share of the period. `null` for budgets that never reset, and in the first 2% of a period.',
          ),
        forecast_usd: usd.nullable(),
        exhausted_at: timestamp
          .nullable()
          .describe(
            'Expected time at which the budget is exhausted. If the budget is already exhausted, this is the time of the response. `null` if the forecast does not exceed the budget, or if there is no forecast.',
          ),
        remaining_nano_usd: nanoUsd.describe('Amount that is neither spent nor reserved.'),
        remaining_usd: usd,
        starts_at: timestamp
          .nullable()
          .describe('Start of the current period. `null` for the period `total`.'),
        resets_at: timestamp.nullable(),
      })
      .nullable(),
    ...resourceFields,
  })
  .meta({ id: 'Budget' });

const reason = z
  .string()
  .min(1)
  .max(500)
  .nullish()
  .describe(
    'Reason for the change, for the audit log. Required for members if a budget change allows more spending. Such a change also requires a step-up.',
  );

/** Fields of a rule that a request may set. Null means absent. */
const writableLimitFields = { reason, ...toWritableFields(LimitSchema.shape) };
const writableBudgetFields = { reason, ...toWritableFields(BudgetSchema.shape) };

/** Fields of a response that a request may repeat without effect. */
const readOnlyFields = {
  id: readOnlyField,
  state: readOnlyField,
  source: readOnlyField,
  created_at: readOnlyField,
  updated_at: readOnlyField,
  updated_by: readOnlyField,
};

/** The request to create or change a rate limit. */
export const limitInput = z.strictObject(writableLimitFields);
/** The request to create or change a budget. */
export const budgetInput = z.strictObject(writableBudgetFields);
/**
 * The request to replace a rate limit. It accepts the response of `GET`. Read-only fields are
 * ignored.
 */
export const limitReplacement = z.strictObject({ ...writableLimitFields, ...readOnlyFields });
/**
 * The request to replace a budget. It accepts the response of `GET`. Read-only fields are ignored.
 */
export const budgetReplacement = z.strictObject({ ...writableBudgetFields, ...readOnlyFields });
/** The query parameters of the `DELETE` requests for limits and budgets. */
export const limitOrBudgetDeletionQuery = z.strictObject({ reason });
