import { Fault } from '@floe/contract/faults';
import { isJsonObject, type Json } from '@floe/contract/json';
import type * as z from 'zod';
import { formatConfigPath } from '../config/config-problem.ts';
import { type ExplainedIssue, explainIssue } from '../config/explain-issue.ts';
import { findNulCharacter, NUL_CHARACTER_MESSAGE } from '../core/unstorable-characters.ts';
import { findInvalidEntry } from './find-invalid-entry.ts';

/**
 * Validates one part of a request. The messages are the same as for floe.yaml.
 *
 * @throws Fault `invalid_request`; `param` is the path of the first invalid field (`models[0]`),
 * and the message never contains a value. An unknown field is reported first, because a misspelled field is also
 * missing. Fault `request_too_large` in the same case as `findInvalidEntry`.
 */
export function validateInput<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  // zod ignores a member with this name.
  if (isJsonObject(value) && Object.hasOwn(value, '__proto__'))
    throw createInvalidInputFault({ path: ['__proto__'], message: 'is not a known field' });
  const tree = castToJson(value);
  const invalidEntry = findInvalidEntry(schema, tree);
  const result = invalidEntry ? { error: { issues: [invalidEntry] } } : schema.safeParse(value);
  if ('data' in result && result.success) return result.data;
  const found = (result.error?.issues ?? []).flatMap((issue) => explainIssue(issue, { schema, tree }));
  const first = found.find(isUnknownField) ?? found[0];
  if (!first) throw new Error('zod rejected a value without a reason');
  throw createInvalidInputFault(first);
}

/**
 * Validates one part of a request, as `validateInput` does, and requires that databases can store its text. Used
 * for all input that database queries may contain.
 * @throws Fault in the same cases as `validateInput`
 */
export function validateStorableInput<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.output<Schema> {
  const valid = validateInput(schema, value);
  const path = findNulCharacter(value);
  if (path !== null) throw createInvalidInputFault({ path, message: NUL_CHARACTER_MESSAGE });
  return valid;
}

function isUnknownField({ path, at }: ExplainedIssue): boolean {
  return at.length > path.length;
}

/** Creates the fault for an invalid value at a path in the request. */
export function createInvalidInputFault({
  path,
  at,
  message,
}: {
  readonly path: readonly (string | number)[];
  /** Path of the invalid value if it differs from `path`. */
  readonly at?: readonly (string | number)[];
  readonly message: string;
}): Fault {
  const where = formatInputPath(path);
  const param = formatInputPath(at ?? path);
  const text = where === '' ? message : `${where}: ${message}`;
  return new Fault('invalid_request', text, param === '' ? {} : { param });
}

/**
 * Returns a value with the type `Json`, without checking it. Undefined becomes null. The caller must ensure that the
 * value contains only JSON data.
 */
export function castToJson(value: unknown): Json {
  return (value ?? null) as Json;
}

/**
 * Formats a path like the messages for floe.yaml. The first name is not quoted, because a query parameter may
 * contain a dot.
 */
function formatInputPath([first, ...rest]: readonly (string | number)[]): string {
  return first === undefined ? '' : `${first}${formatConfigPath(['_', ...rest]).slice(1)}`;
}
