import { EXPORTED_KINDS, type ExportedKind } from '@floe/contract/exported-kinds';
import { isObject, type JsonObject } from '@floe/contract/json';
import { orgById } from '../../store/orgs.ts';
import { asJson } from '../input.ts';
import type { OrgReading } from './document-kind.ts';
import { kindNamed } from './document-kinds.ts';
import { SETTINGS } from './document-settings.ts';
import { Placeholders } from './placeholders.ts';

/** A whole org as floe.yaml would say it, and what its placeholders stand for. */
export interface ExportedOrg {
  readonly tree: JsonObject;
  readonly placeholders: Placeholders;
}

/** What is in force for an org, wherever it is defined; secrets as `${NAME}`. */
export async function exportOrg(reading: OrgReading): Promise<ExportedOrg> {
  const { reader, orgId, host } = reading;
  const placeholders = new Placeholders();
  const row = await orgById(reader, orgId);
  const entriesOf = async (name: string) => {
    const objects = await kindNamed(name).existing?.(reading);
    return (objects ?? []).flatMap((one) => one.entry(placeholders) ?? []);
  };
  const { relay, ...settings }: JsonObject = Object.assign({}, ...(await entriesOf(SETTINGS.kind)));
  const rules = await entriesOf('relay_rules');
  const lists: Record<string, readonly object[]> = {};
  for (const kind of EXPORTED_KINDS) lists[kind] = await entriesOf(kind);
  const org = {
    id: orgId,
    name: row?.name ?? orgId,
    timezone: host.providers.orgs(orgId).config?.timezone ?? row?.timezone ?? 'UTC',
    ...settings,
    // Settings and rules are apart in the store, and in one section of the file.
    ...((relay !== undefined || rules.length > 0) && {
      relay: { ...(isObject(relay) && relay), ...(rules.length > 0 && { rules }) },
    }),
    ...Object.fromEntries(Object.entries(lists).filter(([, entries]) => entries.length > 0)),
  };
  return { tree: treeOf({ orgs: [org] }), placeholders };
}

/** One entry in its section; null when there is none of this id. */
export async function exportEntry(
  reading: OrgReading,
  { kind, id }: { readonly kind: ExportedKind; readonly id: string },
): Promise<JsonObject | null> {
  const existing = (await kindNamed(kind).existing?.(reading)) ?? [];
  const found = existing.find(({ apiId }) => apiId === id) ?? existing.find((one) => one.id === id);
  const entry = found?.entry(new Placeholders());
  return entry ? treeOf({ [kind]: [entry] }) : null;
}

function treeOf(value: object): JsonObject {
  const tree = asJson(withoutEmpty(value));
  return isObject(tree) ? tree : {};
}

/** What is null or undefined has its default in floe.yaml. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) =>
      inner === null || inner === undefined ? [] : [[name, withoutEmpty(inner)]],
    ),
  );
}
