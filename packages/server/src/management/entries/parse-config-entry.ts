import { findCrossObjectIssues } from '@floe/contract/config/cross-object-rules';
import type { JsonObject } from '@floe/contract/json';
import type * as z from 'zod';
import { explainIssue } from '../../config/explain-issue.ts';
import type { ConfigEntryKind } from '../../store/config-entries.ts';
import { createInvalidInputFault } from '../validate-input.ts';

/** A config entry in the format of floe.yaml, and what is needed to validate it. */
export interface ConfigEntryInput<Config> {
  readonly section: ConfigEntryKind;
  readonly schema: z.ZodType<Config>;
  readonly entry: JsonObject;
  /** Ids of the providers that it may reference. */
  readonly providers?: readonly string[];
  /** Returns a problem of a valid entry and its field, or null. */
  readonly findProblem?: (config: Config) => { readonly field: string; readonly message: string } | null;
}

/**
 * Validates a config entry and adds defaults.
 *
 * @throws Fault `invalid_request` with the message of `floe config check`; `param` is the path in
 * the entry
 */
export function parseConfigEntry<Config>(input: ConfigEntryInput<Config>): Config {
  const { section, schema, entry, providers = [], findProblem } = input;
  const result = schema.safeParse(entry);
  const named = findCrossObjectIssues({
    orgs: [{ providers: providers.map((id) => ({ id })), [section]: [entry] }],
  })
    .filter(({ path }) => path[2] === section)
    .map(({ path, message }) => ({ path: path.slice(4), message }));
  const [first] = [
    ...(result.error?.issues ?? []).flatMap((issue) => explainIssue(issue, { schema, tree: entry })),
    ...named,
  ];
  if (!result.success || first)
    throw first ? createInvalidInputFault(first) : new Error('an entry was rejected without a reason');
  const found = findProblem?.(result.data) ?? null;
  if (found) throw createInvalidInputFault({ path: [found.field], message: found.message });
  return result.data;
}

/**
 * Merges `fields` over `current`. Absent fields keep their values, null clears a field, and
 * read-only fields are ignored.
 */
export function mergePatchFields(
  current: JsonObject,
  fields: Readonly<Record<string, unknown>>,
  ignored: ReadonlySet<string>,
): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...current };
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined || ignored.has(name)) continue;
    if (value === null) delete merged[name];
    else merged[name] = value;
  }
  return merged;
}

/** The response fields that a client may send back without effect. */
export const READ_ONLY_CONFIG_ENTRY_FIELDS: ReadonlySet<string> = new Set([
  'id',
  'position',
  'source',
  'created_at',
  'updated_at',
  'updated_by',
]);
