import * as z from 'zod';
import { FAULTS, type FaultCode } from '../faults.ts';

/** The error codes. The table is a constant object, so its keys are exactly the codes. */
function listFaultCodes(): FaultCode[] {
  return Object.keys(FAULTS) as FaultCode[];
}

/** The body of every error response under `/api` and `/relay`. */
export const apiErrorBody = z
  .strictObject({
    error: z.strictObject({
      message: z
        .string()
        .describe('Human-readable message. The text can change at any time. Programs should use `code`.'),
      type: z.string(),
      param: z
        .string()
        .nullable()
        .describe(
          'Path of the invalid field, such as `scopes[0]`. `null` if the error is not about a field.',
        ),
      code: z.enum(listFaultCodes()).describe('Stable error code. See docs/reference/errors.md.'),
    }),
    request_id: z.string(),
  })
  .meta({ id: 'Error' });

export type ApiErrorBody = z.output<typeof apiErrorBody>;
