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
  const [param, message] =
    issue.code === 'unrecognized_keys'
      ? [pathText([...issue.path, ...issue.keys.slice(0, 1)]), 'is not known here']
      : [pathText(issue.path), issue.message];
  if (param === '') throw new Fault('invalid_request', message);
  throw new Fault('invalid_request', `${param}: ${message}`, { param });
}

/** The path of a field as messages say it: `models[0]`. */
export function pathText(path: readonly PropertyKey[]): string {
  let text = '';
  for (const part of path)
    text += typeof part === 'number' ? `[${part}]` : text === '' ? String(part) : `.${String(part)}`;
  return text;
}
