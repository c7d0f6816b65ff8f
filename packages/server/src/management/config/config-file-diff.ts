import type { OrgConfig } from '@floe/contract/config';
import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import { toPlainJson } from './document-resource-kind.ts';
import { getDocumentResourceKind } from './document-resource-kinds.ts';
import { isSecretPath } from './secret-paths.ts';

/** Identifies a resource by its name in configuration documents. */
export interface DocumentResourceReference {
  readonly kind: string;
  readonly id: string;
}

/**
 * The versions of a resource in two documents: `before` and `after`. A version is null if its document does not
 * contain the resource. Neither version contains secrets, because stored secrets are never read.
 */
export interface ConfigFileResourceChange extends DocumentResourceReference {
  readonly before: JsonObject | null;
  readonly after: JsonObject | null;
}

/** The running configuration of an org, and the one that the document describes. */
interface ConfigVersions {
  readonly orgId: string;
  readonly running: OrgConfig;
  readonly requested: OrgConfig;
}

/**
 * Compares the document with the running configuration, for resources that floe.yaml defines. In a list whose
 * order is significant, `position` is the position of a resource among the resources in `declared`.
 *
 * @param declared resources that the document contains
 * @param undeclared resources that the document does not contain
 */
export function diffConfigFileResources(
  { orgId, running, requested }: ConfigVersions,
  declared: readonly DocumentResourceReference[],
  undeclared: readonly DocumentResourceReference[],
): readonly ConfigFileResourceChange[] {
  const before = findEntries(running, orgId, declared);
  const after = findEntries(requested, orgId, declared);
  const removed = findEntries(running, orgId, undeclared);
  return [
    ...declared.map((name, at) => ({ ...name, before: before[at] ?? null, after: after[at] ?? null })),
    ...undeclared.map((name, at) => ({ ...name, before: removed[at] ?? null, after: null })),
  ].filter((one) => JSON.stringify(one.before) !== JSON.stringify(one.after));
}

/** The entries of an org by name, with their positions if the order is significant. */
function findEntries(
  org: OrgConfig,
  orgId: string,
  names: readonly DocumentResourceReference[],
): readonly (JsonObject | null)[] {
  const found = new Map<string, JsonObject>();
  for (const [kind, namesOfKind] of Map.groupBy(names, (name) => name.kind)) {
    const { isOrdered, entries } = getDocumentResourceKind(kind);
    const ids = new Set(namesOfKind.map(({ id }) => id));
    const named = [...entries(org, orgId)].filter(([id]) => ids.has(id));
    for (const [position, [id, entry]] of named.entries())
      found.set(formatResourceKey({ kind, id }), {
        ...omitSecrets(kind, entry),
        ...(isOrdered && { position }),
      });
  }
  return names.map((name) => found.get(formatResourceKey(name)) ?? null);
}

/** Returns a string that identifies a resource among all kinds. */
export function formatResourceKey({ kind, id }: DocumentResourceReference): string {
  return JSON.stringify([kind, id]);
}

function omitSecrets(kind: string, entry: object): JsonObject {
  const strip = (value: Json | undefined, at: readonly (string | number)[]): Json | undefined => {
    if (value === undefined || isSecretPath(at)) return undefined;
    if (Array.isArray(value)) return value.map((inner, index) => strip(inner, [...at, index]) ?? null);
    if (!isJsonObject(value)) return value;
    const members = Object.entries(value).flatMap(([name, inner]) => {
      const kept = strip(inner, [...at, name]);
      return kept === undefined ? [] : [[name, kept] as const];
    });
    return Object.fromEntries(members.sort(([one], [other]) => (one < other ? -1 : 1)));
  };
  const stripped = strip(toPlainJson(entry), [kind, 0]);
  return isJsonObject(stripped) ? stripped : {};
}
