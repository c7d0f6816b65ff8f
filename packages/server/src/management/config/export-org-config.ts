import {
  EXPORTABLE_CONFIG_SECTIONS,
  type ExportableConfigSection,
} from '@floe/contract/exportable-config-sections';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { findOrgById } from '../../store/orgs.ts';
import type { OrgReadContext } from './document-resource-kind.ts';
import { getDocumentResourceKind } from './document-resource-kinds.ts';
import { SETTINGS_DOCUMENT_RESOURCE_KIND } from './document-settings.ts';
import { toYamlTree } from './format-org-config.ts';
import { SecretPlaceholders } from './secret-placeholders.ts';

/** An organization in the format of floe.yaml, and descriptions of the placeholders in it. */
export interface ExportedOrgConfig {
  readonly org: object;
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
  lists['monitors'] = omitMissingChannels(lists['monitors'] ?? [], lists['channels'] ?? []);
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
 * Removes channels that do not exist from monitors. They have no effect, and a document that refers to them is invalid.
 */
function omitMissingChannels(monitors: readonly object[], channels: readonly object[]): readonly object[] {
  const names = new Set(channels.map((channel) => ('name' in channel ? channel.name : null)));
  return monitors.map((monitor) =>
    'channels' in monitor && Array.isArray(monitor.channels)
      ? { ...monitor, channels: monitor.channels.filter((name) => names.has(name)) }
      : monitor,
  );
}

/** Exports one resource as an entry of its section in floe.yaml. Returns null if no resource has this id. */
export async function exportConfigEntry(
  context: OrgReadContext,
  { kind, id }: { readonly kind: ExportableConfigSection; readonly id: string },
): Promise<JsonObject | null> {
  const existing = (await getDocumentResourceKind(kind).listExisting?.(context)) ?? [];
  const found = existing.find(({ apiId }) => apiId === id) ?? existing.find((one) => one.id === id);
  const placeholders = new SecretPlaceholders();
  const entry = found?.toEntry(placeholders);
  return entry ? toYamlTree({ [kind]: [placeholders.insertInto(entry)] }) : null;
}
