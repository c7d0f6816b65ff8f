import {
  EXPORTABLE_CONFIG_SECTIONS,
  type ExportableConfigSection,
} from '@floe/contract/exportable-config-sections';
import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import { findOrgById } from '../../store/orgs.ts';
import type { OrgReadContext } from './document-resource-kind.ts';
import { getDocumentResourceKind } from './document-resource-kinds.ts';
import { SETTINGS_DOCUMENT_RESOURCE_KIND } from './document-settings.ts';
import { toYamlTree } from './format-org-config.ts';
import { SecretPlaceholders } from './secret-placeholders.ts';

/** An organization in the format of floe.yaml, and descriptions of the placeholders in it. */
export interface ExportedOrgConfig {
  readonly org: JsonObject;
  readonly placeholders: SecretPlaceholders;
}

/**
 * Exports an organization's effective configuration from all sources. Secrets are replaced with
 * `${NAME}`.
 */
export async function exportOrgConfig(context: OrgReadContext): Promise<ExportedOrgConfig> {
  const { reader, orgId, dependencies } = context;
  const placeholders = new SecretPlaceholders();
  const row = await findOrgById(reader, orgId);
  const namedKeys = new Set<string>();
  const loadEntries = async (name: string) => {
    const objects = await getDocumentResourceKind(name).listExisting?.({ ...context, namedKeys });
    return (objects ?? []).flatMap((one) => one.toEntry(placeholders) ?? []);
  };
  const { relay, ...settings }: JsonObject = Object.assign(
    {},
    ...(await loadEntries(SETTINGS_DOCUMENT_RESOURCE_KIND.kind)),
  );
  const rules = await loadEntries('relay_rules');
  const lists: Record<string, readonly object[]> = {};
  for (const kind of ['limits', 'budgets'])
    for (const entry of await loadEntries(kind)) if ('key' in entry) namedKeys.add(String(entry.key));
  for (const kind of EXPORTABLE_CONFIG_SECTIONS) lists[kind] = await loadEntries(kind);
  const org = {
    id: orgId,
    name: row?.name ?? orgId,
    timezone: dependencies.providers.getLoadedOrg(orgId).config?.timezone ?? row?.timezone ?? 'UTC',
    ...settings,
    // The store has settings and rules in separate tables. The file has them in one section.
    ...((relay !== undefined || rules.length > 0) && {
      relay: { ...(isJsonObject(relay) && relay), ...(rules.length > 0 && { rules }) },
    }),
    ...Object.fromEntries(Object.entries(lists).filter(([, entries]) => entries.length > 0)),
  };
  return { org: placeholders.insertInto(org), placeholders };
}

/**
 * Removes references to deleted resources from an exported organization. They have no effect, and a document that
 * contains them is invalid.
 */
export function omitMissingReferences(org: JsonObject): JsonObject {
  const teams = new Set(getObjects(org, 'teams').map(({ id }) => id));
  const channels = new Set(getObjects(org, 'channels').map(({ name }) => name));
  const monitors = new Set(getObjects(org, 'monitors').map(({ id }) => id));
  const keepNames = (list: Json | undefined, names: ReadonlySet<Json | undefined>) =>
    Array.isArray(list) ? list.filter((name) => names.has(name)) : list;
  const corrections: ReadonlyMap<string, (entry: JsonObject) => JsonObject> = new Map([
    ['keys', (key) => (teams.has(key['team']) ? key : { ...key, team: undefined })],
    ['monitors', (monitor) => ({ ...monitor, channels: keepNames(monitor['channels'], channels) })],
    [
      'boards',
      (board) => ({
        ...board,
        groups: getObjects(board, 'groups').map((group) => ({
          ...group,
          monitors: keepNames(group['monitors'], monitors),
        })),
      }),
    ],
  ]);
  return Object.fromEntries(
    Object.entries(org).map(([section, value]) => {
      const correct = corrections.get(section);
      return [section, correct ? getObjects(org, section).map(correct) : value];
    }),
  );
}

function getObjects(parent: JsonObject, field: string): readonly JsonObject[] {
  const list = parent[field];
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

/** The section with the resources that `omitMissingReferences` looks for, by the section that refers to them. */
const REFERENCED_SECTIONS: Partial<Record<ExportableConfigSection, ExportableConfigSection>> = {
  keys: 'teams',
  monitors: 'channels',
  boards: 'monitors',
};

/** Exports one resource as an entry of its section in floe.yaml. Returns null if no resource has this id. */
export async function exportConfigEntry(
  context: OrgReadContext,
  { kind, id }: { readonly kind: ExportableConfigSection; readonly id: string },
): Promise<JsonObject | null> {
  const existing = (await getDocumentResourceKind(kind).listExisting?.(context)) ?? [];
  const found = existing.find(({ apiId }) => apiId === id) ?? existing.find((one) => one.id === id);
  const placeholders = new SecretPlaceholders();
  const entry = found?.toEntry(placeholders);
  if (!entry) return null;
  const section = REFERENCED_SECTIONS[kind];
  const referenced =
    section === undefined ? [] : await getDocumentResourceKind(section).listExisting?.(context);
  const names = referenced?.map((resource) => ({ id: resource.id, name: resource.id }));
  const org = placeholders.insertInto({ ...(section && { [section]: names }), [kind]: [entry] });
  return toYamlTree({ [kind]: omitMissingReferences(org)[kind] });
}
