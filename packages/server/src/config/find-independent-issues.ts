import { type FloeConfig, FloeConfigSchema } from '@floe/contract/config';
import type { ConfigIssue, ConfigPath } from '@floe/contract/config/cross-object-rules';
import { isJsonObject, type Json } from '@floe/contract/json';

/**
 * Returns the issues of the part of a configuration that does not depend on unset variables. Leaves out each list entry
 * and field that contains an unset variable, and what is invalid without it.
 * @param unset paths in `tree`
 * @param validate checks a valid configuration
 */
export function findIndependentIssues<Issue extends ConfigIssue>(
  tree: Json,
  unset: readonly ConfigPath[],
  validate: (config: FloeConfig) => readonly Issue[],
): Issue[] {
  const removed = new Set<string>();
  let next = unset.map(findEntryPath);
  while (next.every(({ length }) => length > 0)) {
    for (const path of next) removed.add(JSON.stringify(path));
    const indexes = new Map<Json, readonly number[]>();
    const rest = withoutPaths(tree, [], { removed, indexes });
    const toFilePath = (path: ConfigPath) => restoreIndexes(rest, path, indexes);
    const { data, error } = FloeConfigSchema.safeParse(rest);
    if (data) return validate(data).map((issue) => ({ ...issue, path: toFilePath(issue.path) }));
    // Each value exists, so that each round removes at least one.
    next = (error?.issues ?? []).map(({ path }) =>
      toFilePath(findExistingPath(rest, path.filter(isConfigPathStep))),
    );
  }
  return [];
}

function isConfigPathStep(step: PropertyKey): step is string | number {
  return typeof step !== 'symbol';
}

/**
 * Returns the path of the list entry that contains a value, or its own path if no list except `orgs` contains it.
 */
function findEntryPath(path: ConfigPath): ConfigPath {
  const index = path.findIndex((step, at) => typeof step === 'number' && !(at === 1 && path[0] === 'orgs'));
  return index === -1 ? path : path.slice(0, index + 1);
}

interface RemovedPaths {
  /** The removed paths as JSON. */
  readonly removed: ReadonlySet<string>;
  /** For each remaining list, the indexes of its entries in the original list. */
  readonly indexes: Map<Json, readonly number[]>;
}

function withoutPaths(value: Json, path: ConfigPath, paths: RemovedPaths): Json {
  const isKept = (step: string | number) => !paths.removed.has(JSON.stringify([...path, step]));
  if (Array.isArray(value)) {
    const kept = [...value.keys()].filter(isKept);
    const rest = kept.map((index) => withoutPaths(value[index] ?? null, [...path, index], paths));
    paths.indexes.set(rest, kept);
    return rest;
  }
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => isKept(key))
      .map(([key, inner]) => [key, withoutPaths(inner ?? null, [...path, key], paths)]),
  );
}

function getMember(value: Json | undefined, step: string | number): Json | undefined {
  if (Array.isArray(value)) return value[Number(step)];
  return isJsonObject(value) ? value[step] : undefined;
}

function findExistingPath(tree: Json, path: ConfigPath): ConfigPath {
  let value: Json | undefined = tree;
  const missing = path.findIndex((step) => {
    value = getMember(value, step);
    return value === undefined;
  });
  return missing === -1 ? path : path.slice(0, missing);
}

function restoreIndexes(
  tree: Json,
  path: ConfigPath,
  indexes: ReadonlyMap<Json | undefined, readonly number[]>,
): ConfigPath {
  let value: Json | undefined = tree;
  return path.map((step) => {
    const original = typeof step === 'number' ? indexes.get(value)?.[step] : undefined;
    value = getMember(value, step);
    return original ?? step;
  });
}
