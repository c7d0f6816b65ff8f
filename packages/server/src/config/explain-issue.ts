import type { ConfigIssue, ConfigPath } from '@floe/contract/config/cross-object-rules';
import { findNearestWord } from '@floe/contract/config/nearest-word';
import { isJsonObject, type Json } from '@floe/contract/json';
import type * as z from 'zod';
import { listSchemaKeysAt } from './schema-lookup.ts';

type Issue = z.core.$ZodIssue;

/**
 * The context for explaining a validation issue. Names are suggested from `schema`. `tree` is the
 * validated input. It shows whether a value is missing or invalid.
 */
export interface IssueContext {
  readonly schema: z.core.$ZodType;
  readonly tree: Json;
}

export interface ExplainedIssue extends ConfigIssue {
  /** Path of the position to report. Differs from `path` for an unknown key. */
  readonly at: ConfigPath;
}

/** Number of unknown keys of one map that are reported. */
const MAX_KEYS = 100;

/** Describes a zod issue with texts that complete "<path>: …". They never contain a value. */
export function explainIssue(issue: Issue, subject: IssueContext, base: ConfigPath = []): ExplainedIssue[] {
  const path = [...base, ...toConfigPath(issue.path)];
  if (issue.code === 'unrecognized_keys')
    return issue.keys
      .slice(0, MAX_KEYS)
      .map((key) => ({ path, at: [...path, key], message: describeUnknownKey(key, path, subject) }));
  if (issue.code === 'invalid_union') return explainUnion(issue, path, subject);
  return [{ path, at: path, message: issueMessage(issue, valueAt(subject.tree, path)) }];
}

function issueMessage(issue: Issue, value: Json | undefined): string {
  if (issue.code === 'custom' || issue.code === 'invalid_format') return issue.message;
  if (value === undefined) return 'is required';
  switch (issue.code) {
    case 'invalid_type':
      return describeWrongType(issue.expected, value);
    case 'invalid_value':
      return describeAllowedValues(issue.values.map(String), value);
    case 'too_small':
      return describeTooSmall(issue);
    case 'too_big':
      return issue.origin === 'string'
        ? `must be at most ${issue.maximum} characters long`
        : issue.origin === 'array'
          ? `must have at most ${issue.maximum} entries`
          : `must be at most ${issue.maximum}`;
    case 'invalid_key':
      return issue.issues[0]?.message ?? 'must be a valid name';
    default:
      return 'is not valid';
  }
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map of keys and values',
  record: 'a map of keys and values',
};

function describeWrongType(expected: string, value: Json): string {
  const quotes = expected === 'string' && typeof value !== 'object' ? '; put the value in quotes' : '';
  return `must be ${TYPE_NAMES[expected] ?? expected}${quotes}`;
}

function describeAllowedValues(options: readonly string[], value: Json): string {
  const meant = typeof value === 'string' ? findNearestWord(value, options) : undefined;
  if (meant !== undefined) return `is not a valid value; did you mean "${meant}"?`;
  return `must be ${options.length === 1 ? '' : 'one of '}${options.join(', ')}`;
}

function describeTooSmall(issue: z.core.$ZodIssueTooSmall): string {
  if (issue.origin === 'string') return 'must not be empty';
  if (issue.origin === 'array') return 'must have at least one entry';
  return `must be ${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}`;
}

/** If a field has a short and a long form, describes the problem of the form whose type matches the value. */
function explainUnion(
  issue: z.core.$ZodIssueInvalidUnion,
  path: ConfigPath,
  subject: IssueContext,
): ExplainedIssue[] {
  const value = valueAt(subject.tree, path);
  const say = (message: string) => [{ path, at: path, message }];
  if (value === undefined) return say('is required');
  if ('options' in issue && issue.options !== undefined)
    return say(describeAllowedValues(issue.options.map(String), value));
  if (issue.message !== 'Invalid input') return say(issue.message);
  const fitting = issue.errors.find((branch) => branch.every((inner) => !isRootTypeIssue(inner)));
  if (fitting !== undefined) return fitting.flatMap((inner) => explainIssue(inner, subject, path));
  const kinds = issue.errors.flatMap((branch) =>
    branch.filter(isRootTypeIssue).map((inner) => TYPE_NAMES[inner.expected] ?? inner.expected),
  );
  return say(`must be ${[...new Set(kinds)].join(' or ')}`);
}

function isRootTypeIssue(issue: Issue): issue is z.core.$ZodIssueInvalidType {
  return issue.code === 'invalid_type' && issue.path.length === 0;
}

/** Names the unknown key unless it may be a misplaced secret. */
function describeUnknownKey(key: string, path: ConfigPath, subject: IssueContext): string {
  const known = listSchemaKeysAt(subject.schema, path, valueAt(subject.tree, path)).filter(
    (one) => one !== key,
  );
  const meant = findNearestWord(key, known);
  if (meant !== undefined) return `unknown key "${key}"; did you mean "${meant}"?`;
  const shown = key.length > 24 || /^(eis_|sk-)/.test(key) ? `${key.slice(0, 4)}…` : key;
  return `unknown key "${shown}"; valid keys: ${known.join(', ')}`;
}

function toConfigPath(path: readonly PropertyKey[]): (string | number)[] {
  return path.map((step) => (typeof step === 'symbol' ? String(step) : step));
}

function valueAt(tree: Json, path: ConfigPath): Json | undefined {
  let here: Json | undefined = tree;
  for (const step of path) {
    if (Array.isArray(here)) here = here[Number(step)];
    else here = isJsonObject(here) ? here[step] : undefined;
  }
  return here;
}
