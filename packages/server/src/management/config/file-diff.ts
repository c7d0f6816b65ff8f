import type { OrgConfig } from '@floe/contract/config';
import { isObject, type Json, type JsonObject } from '@floe/contract/json';
import { fileRuleId } from '../../guardrails/rules.ts';
import { asJson } from '../input.ts';
import { type ConfigDocument, isSecret } from './document.ts';

/** A resource by the name that documents give it. */
export interface ResourceName {
  readonly kind: string;
  readonly id: string;
}

/** A resource in two documents; null where one does not have it. Secrets are not in it: what is stored is never read. */
export interface FileChange extends ResourceName {
  readonly before: JsonObject | null;
  readonly after: JsonObject | null;
}

type Entries = ReadonlyMap<string, JsonObject>;

/** Lists whose order counts. */
const ORDERED: ReadonlySet<string> = new Set(['routes', 'policies']);

/**
 * What a document says otherwise than the configuration that runs, of resources that floe.yaml has. Where the order of a
 * list counts, `position` is that among those which both have.
 *
 * @param managed those that the document names
 * @param gone those that it does not name
 */
export function fileChanges(
  running: OrgConfig,
  document: ConfigDocument,
  managed: readonly ResourceName[],
  gone: readonly ResourceName[],
): readonly FileChange[] {
  const before = placed(running, managed);
  const after = placed(document.org, managed);
  return [
    ...managed.map((name, at) => ({ ...name, before: before[at] ?? null, after: after[at] ?? null })),
    ...gone.map(({ kind, id }) => ({ kind, id, before: entryOf(running, kind, id), after: null })),
  ].filter((one) => JSON.stringify(one.before) !== JSON.stringify(one.after));
}

/** The entry of each name, with its place where that counts. */
function placed(org: OrgConfig, names: readonly ResourceName[]): readonly (JsonObject | null)[] {
  return names.map(({ kind, id }) => {
    const entry = entryOf(org, kind, id);
    if (entry === null || !ORDERED.has(kind)) return entry;
    const ids = [...entriesOf(org, kind).keys()].filter((other) =>
      names.some((one) => one.kind === kind && one.id === other),
    );
    return { ...entry, position: ids.indexOf(id) };
  });
}

function entryOf(org: OrgConfig, kind: string, id: string): JsonObject | null {
  if (kind === 'settings' || kind === 'cache') {
    const { rules: _, ...relay } = org.relay;
    const sections: Readonly<Record<string, unknown>> = { ...org, relay };
    return withoutSecrets([], { [id]: sections[id] });
  }
  if (kind === 'org') return withoutSecrets([], { name: org.name, timezone: org.timezone });
  return entriesOf(org, kind).get(id) ?? null;
}

function entriesOf(org: OrgConfig, kind: string): Entries {
  const keyed = <Entry extends object>(entries: readonly Entry[], idOf: (entry: Entry) => string): Entries =>
    new Map(entries.map((entry) => [idOf(entry), withoutSecrets([kind, 0], entry)]));
  switch (kind) {
    case 'teams':
      return keyed(org.teams, ({ id }) => id);
    case 'keys':
      return keyed(org.keys, ({ name }) => name);
    case 'channels':
      return keyed(org.channels, ({ name }) => name);
    case 'monitors':
      return keyed(org.monitors, ({ id }) => id);
    case 'boards':
      return keyed(org.boards, ({ slug }) => slug);
    case 'providers':
      return keyed(org.providers, ({ id }) => id);
    case 'routes':
      return keyed(org.routes, ({ model }) => model);
    case 'policies':
      return keyed(org.policies, ({ name }) => name);
    case 'limits':
      return keyed(org.limits, fileRuleId);
    case 'budgets':
      return keyed(org.budgets, fileRuleId);
    case 'relay_rules':
      return keyed(org.relay.rules, ({ name }) => name);
    default:
      return new Map();
  }
}

function withoutSecrets(path: readonly (string | number)[], entry: object): JsonObject {
  const strip = (value: Json | undefined, at: readonly (string | number)[]): Json | undefined => {
    if (value === undefined || isSecret(at)) return undefined;
    if (Array.isArray(value)) return value.map((inner, index) => strip(inner, [...at, index]) ?? null);
    if (!isObject(value)) return value;
    const members = Object.entries(value).flatMap(([name, inner]) => {
      const kept = strip(inner, [...at, name]);
      return kept === undefined ? [] : [[name, kept] as const];
    });
    return Object.fromEntries(members.sort(([one], [other]) => (one < other ? -1 : 1)));
  };
  const stripped = strip(asJson(JSON.parse(JSON.stringify(entry))), path);
  return isObject(stripped) ? stripped : {};
}
