import type { PolicyConfig, ProviderConfig, RouteConfig } from '@floe/contract/config';
import type { JsonObject } from '@floe/contract/json';
import { createId } from '../../core/ids.ts';
import {
  type ConfigEntryKind,
  type ConfigEntryRow,
  deleteConfigEntry,
  insertConfigEntry,
  listAllConfigEntries,
  updateConfigEntry,
} from '../../store/config-entries.ts';
import { type ConfigFileResourceKind, defineConfigFileResourceKind } from '../config-file-resource-kind.ts';
import type { DeclaredResourceKind } from '../declared-resources.ts';
import { splitProviderSecrets } from './provider-secrets.ts';
import { removeProvider } from './remove-provider.ts';
import { SETTINGS_SECTIONS, type SettingsSection } from './settings-sections.ts';
import { parseStoredConfigEntry } from './stored-config.ts';

interface EntryListKind<Config> extends DeclaredResourceKind<Config> {
  readonly kind: ConfigEntryKind;
}

/**
 * Returns a resource kind of floe.yaml whose entries are stored unchanged, so that lists and the history
 * contain them.
 *
 * @param entryOf the entry without secrets
 */
function entryFileKind<Config>(
  list: EntryListKind<Config>,
  entryOf: (config: Config) => object,
  remove: ConfigFileResourceKind<Config, ConfigEntryRow, object>['remove'] = deleteConfigEntry,
) {
  const { kind } = list;
  return defineConfigFileResourceKind({
    ...list,
    stored: (reader, orgIds) => listAllConfigEntries(reader, kind, orgIds),
    storedName: ({ id }: ConfigEntryRow) => id,
    columns: ({ config, index }) => ({
      kind,
      id: list.nameOf(config),
      entry_json: JSON.stringify(entryOf(config)),
      secrets_sealed: null,
      position: index,
    }),
    row: (columns): ConfigEntryRow => ({
      ...columns,
      row_id: createId('cfg', columns.created_at),
      secrets_version: 0,
    }),
    insert: (writer, row) => insertConfigEntry(writer, row),
    update: (writer, row, change) => updateConfigEntry(writer, row, change),
    remove,
    auditView: entryAuditView,
  });
}

/** The resource kind of providers in floe.yaml. */
export const CONFIG_FILE_PROVIDER_RESOURCE_KIND = entryFileKind<ProviderConfig>(
  { kind: 'providers', list: ({ providers }) => providers, nameOf: ({ id }) => id, isReferenced: true },
  (config) => splitProviderSecrets(config).entry,
  removeProvider,
);

/** The resource kind of routes in floe.yaml. */
export const CONFIG_FILE_ROUTE_RESOURCE_KIND = entryFileKind<RouteConfig>(
  { kind: 'routes', list: ({ routes }) => routes, nameOf: ({ model }) => model },
  (config) => config,
);

/** The resource kind of policies in floe.yaml. */
export const CONFIG_FILE_POLICY_RESOURCE_KIND = entryFileKind<PolicyConfig>(
  { kind: 'policies', list: ({ policies }) => policies, nameOf: ({ name }) => name },
  (config) => config,
);

/** A section of settings of an organization. It is changed as a whole. */
interface OrgSetting {
  readonly section: SettingsSection;
  readonly value: unknown;
}

/** The resource kind of an organization's settings in floe.yaml. */
export const CONFIG_FILE_SETTINGS_RESOURCE_KIND = entryFileKind<OrgSetting>(
  {
    kind: 'settings',
    // Relay rules are a resource kind of their own.
    list: ({ relay: { rules: _, ...relay }, ...org }) =>
      SETTINGS_SECTIONS.map((section) => ({ section, value: { ...org, relay }[section] })),
    pathOf: ({ section }) => [section],
    nameOf: ({ section }) => section,
  },
  ({ value }) => ({ value }),
);

/** An entry in the form that the audit log stores. */
function entryAuditView(row: ConfigEntryRow): JsonObject {
  return { ...parseStoredConfigEntry(row), source: row.source, line: row.source_line };
}
