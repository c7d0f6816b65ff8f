import { Fault } from '@floe/contract/faults';
import type * as z from 'zod';

/**
 * Validates one part of a request.
 *
 * @throws Fault `invalid_request`; `param` is the path of the first offending field (`models[0]`), and the
 *   message never repeats a value
 */
export function validate<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  if (!issue) throw new Error('zod refused a value without saying why');
  const param = paramOf(
    issue.code === 'unrecognized_keys' ? [...issue.path, ...issue.keys.slice(0, 1)] : issue.path,
  );
  if (param === '') throw new Fault('invalid_request', issue.message);
  throw new Fault('invalid_request', `${param}: ${issue.message}`, { param });
}

function paramOf(path: readonly PropertyKey[]): string {
  let param = '';
  for (const part of path)
    param += typeof part === 'number' ? `[${part}]` : param === '' ? String(part) : `.${String(part)}`;
  return param;
}
