import { Fault } from '@floe/contract/faults';
import { isObject, type Json } from '@floe/contract/json';
import type * as z from 'zod';
import { explain } from '../config/explain.ts';
import { formatPath } from '../config/problem.ts';

/**
 * Validates one part of a request, in the words in which floe.yaml is refused.
 *
 * @throws Fault `invalid_request`; `param` is the path of the first offending field (`models[0]`), and the
 *   message never repeats a value
 */
export function validate<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  // zod passes over a member of this name without a word.
  if (isObject(value) && Object.hasOwn(value, '__proto__'))
    throw refused({ path: ['__proto__'], message: 'is not known here' });
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [first] = result.error.issues.flatMap((issue) => explain(issue, { schema, tree: asJson(value) }));
  if (!first) throw new Error('zod refused a value without saying why');
  throw refused(first);
}

/** A mistake at a place in a request. */
export function refused({
  path,
  at,
  message,
}: {
  readonly path: readonly (string | number)[];
  /** Where it stands when that is not `path` itself. */
  readonly at?: readonly (string | number)[];
  readonly message: string;
}): Fault {
  const where = placeIn(path);
  const param = placeIn(at ?? path);
  const text = where === '' ? message : `${where}: ${message}`;
  return new Fault('invalid_request', text, param === '' ? {} : { param });
}

/** What a transport hands over was read from JSON, or is text of a URL. */
export function asJson(value: unknown): Json {
  return (value ?? null) as Json;
}

/** As the file's places are written; the first name as it came, for that of a query may hold a dot. */
function placeIn([first, ...rest]: readonly (string | number)[]): string {
  return first === undefined ? '' : `${first}${formatPath(['_', ...rest]).slice(1)}`;
}
