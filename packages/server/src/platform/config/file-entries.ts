import type { PolicyConfig, ProviderConfig, RouteConfig } from '@floe/contract/config';
import type { JsonObject } from '@floe/contract/json';
import { newId } from '../../core/ids.ts';
import {
  allEntries,
  changeEntry,
  type EntryKind,
  type EntryRow,
  entriesOfOrg,
  insertEntry,
  removeEntry,
} from '../../store/config-entries.ts';
import type { ListedKind } from '../file-org.ts';
import { type FileKind, fileKind } from '../file-sync.ts';
import { splitProvider } from './provider-secrets.ts';
import { removeProvider } from './remove-provider.ts';
import { SECTIONS, type Section } from './sections.ts';
import { parsed } from './stored-config.ts';

interface EntryList<Config> extends ListedKind<Config> {
  readonly kind: EntryKind;
}

/**
 * Objects that the store keeps as floe.yaml says them, so that lists know them, with their history.
 *
 * @param entryOf what the file says of one, without secrets
 */
function entries<Config>(
  list: EntryList<Config>,
  entryOf: (config: Config) => object,
  remove: FileKind<Config, EntryRow, object>['remove'] = removeEntry,
) {
  const { kind } = list;
  return fileKind({
    ...list,
    stored: (reader, orgId) =>
      orgId === undefined ? allEntries(reader, kind) : entriesOfOrg(reader, orgId, kind),
    storedName: ({ id }: EntryRow) => id,
    columns: ({ config, position }) => ({
      kind,
      id: list.nameOf(config),
      entry_json: JSON.stringify(entryOf(config)),
      secrets_sealed: null,
      position,
    }),
    row: (columns): EntryRow => ({
      ...columns,
      row_id: newId('cfg', columns.created_at),
      secrets_version: 0,
    }),
    insert: (writer, row) => insertEntry(writer, row),
    update: (writer, row, change) => changeEntry(writer, row, change),
    remove,
    shown: shownEntry,
  });
}

export const FILE_PROVIDERS = entries<ProviderConfig>(
  { kind: 'providers', list: ({ providers }) => providers, nameOf: ({ id }) => id, isNamed: true },
  (config) => splitProvider(config).entry,
  removeProvider,
);

export const FILE_ROUTES = entries<RouteConfig>(
  { kind: 'routes', list: ({ routes }) => routes, nameOf: ({ model }) => model },
  (config) => config,
);

export const FILE_POLICIES = entries<PolicyConfig>(
  { kind: 'policies', list: ({ policies }) => policies, nameOf: ({ name }) => name },
  (config) => config,
);

/** A setting of an org, which is changed as a whole. */
interface Setting {
  readonly section: Section;
  readonly value: unknown;
}

export const FILE_SETTINGS = entries<Setting>(
  {
    kind: 'settings',
    // Rules of the relay are objects of their own.
    list: ({ relay: { rules: _, ...relay }, ...org }) =>
      SECTIONS.map((section) => ({ section, value: { ...org, relay }[section] })),
    pathOf: ({ section }) => [section],
    nameOf: ({ section }) => section,
  },
  ({ value }) => ({ value }),
);

/** An entry as the audit log keeps it. */
function shownEntry(row: EntryRow): JsonObject {
  return { ...parsed(row), source: row.source, line: row.source_line };
}
