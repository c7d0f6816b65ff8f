import * as z from 'zod';
import { createJsonValueField } from '../json-value.ts';
import { timestamp } from './page.ts';

/** The states of a background job. `lost` means that the process that ran the job has ended. */
export const BACKGROUND_JOB_STATES = ['running', 'done', 'failed', 'cancelled', 'lost'] as const;

/** A background job and its progress. */
export const backgroundJobResource = z
  .strictObject({
    id: z.string(),
    kind: z.string().describe('Kind of background job, such as `policies.dry-run`.'),
    state: z
      .enum(BACKGROUND_JOB_STATES)
      .describe(
        'State of the background job. `lost` means that the process that ran the job has ended or has not responded for 30 seconds. In this case, start the job again.',
      ),
    done: z.int().describe('Number of completed steps.'),
    total: z
      .int()
      .nullable()
      .describe('Total number of steps. `null` means that the number is not known yet.'),
    cancel_requested: z.boolean(),
    created_by: z.string(),
    created_at: timestamp,
    ended_at: timestamp.nullable(),
    result: createJsonValueField().describe('Result of the background job. `null` unless `state` is `done`.'),
    error: z.string().nullable(),
  })
  .meta({ id: 'Job' });
