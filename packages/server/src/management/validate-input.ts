import { Fault } from '@floe/contract/faults';
import { isObject, type Json } from '@floe/contract/json';
import type * as z from 'zod';
import { formatConfigPath } from '../config/config-problem.ts';
import { explainIssue } from '../config/explain-issue.ts';

/**
 * Validates one part of a request, in the words in which floe.yaml is refused.
 *
 * @throws Fault `invalid_request`; `param` is the path of the first offending field (`models[0]`), and the
 *   message never repeats a value
 */
export function validateInput<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  // zod passes over a member of this name without a word.
  if (isObject(value) && Object.hasOwn(value, '__proto__'))
    throw invalidInputFault({ path: ['__proto__'], message: 'is not known here' });
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [first] = result.error.issues.flatMap((issue) =>
    explainIssue(issue, { schema, tree: castToJson(value) }),
  );
  if (!first) throw new Error('zod refused a value without saying why');
  throw invalidInputFault(first);
}

/** A mistake at a place in a request. */
export function invalidInputFault({
  path,
  at,
  message,
}: {
  readonly path: readonly (string | number)[];
  /** Where it stands when that is not `path` itself. */
  readonly at?: readonly (string | number)[];
  readonly message: string;
}): Fault {
  const where = formatInputPath(path);
  const param = formatInputPath(at ?? path);
  const text = where === '' ? message : `${where}: ${message}`;
  return new Fault('invalid_request', text, param === '' ? {} : { param });
}

/** What a transport hands over was read from JSON, or is text of a URL. */
export function castToJson(value: unknown): Json {
  return (value ?? null) as Json;
}

/** As the file's places are written; the first name as it came, for that of a query may hold a dot. */
function formatInputPath([first, ...rest]: readonly (string | number)[]): string {
  return first === undefined ? '' : `${first}${formatConfigPath(['_', ...rest]).slice(1)}`;
}
