import type { PolicyConfig, ProviderConfig, RouteConfig } from '@floe/contract/config';
import type { JsonObject } from '@floe/contract/json';
import { newId } from '../../core/ids.ts';
import {
  allEntries,
  changeEntry,
  type EntryKind,
  type EntryRow,
  insertEntry,
  removeEntry,
} from '../../store/config-entries.ts';
import type { Declared, FileOrg } from '../file-org.ts';
import { type FileKind, syncedKind } from '../file-sync.ts';
import { splitProvider } from './provider-secrets.ts';
import { removeProvider } from './remove-provider.ts';
import { parsed } from './stored-config.ts';

interface Kind<Config> extends Pick<FileKind<Config, EntryRow, object>, 'isNamed' | 'nameOf'> {
  readonly kind: EntryKind;
  declared(org: FileOrg): readonly Declared<Config>[];
  /** As the file says it, without secrets. */
  entryOf(config: Config): object;
  remove?(...given: Parameters<typeof removeProvider>): Promise<void>;
}

/** Objects that the store keeps as floe.yaml says them, so that lists know them, with their history. */
function entries<Config>({ kind, entryOf, remove = removeEntry, ...rest }: Kind<Config>) {
  return syncedKind({
    ...rest,
    kind,
    stored: (writer) => allEntries(writer, kind),
    storedName: ({ id }: EntryRow) => id,
    columns: ({ config, position }) => ({
      kind,
      id: rest.nameOf(config),
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
    remove: (writer, row) => remove(writer, row),
    subjectOf: ({ id }) => id,
    shown: shownEntry,
  });
}

/** Providers, routes, policies and settings of floe.yaml. */
export const FILE_ENTRIES = [
  entries({
    kind: 'providers',
    declared: ({ providers }) => providers,
    nameOf: ({ id }: ProviderConfig) => id,
    entryOf: (config) => splitProvider(config).entry,
    remove: removeProvider,
    isNamed: true,
  }),
  entries({
    kind: 'routes',
    declared: ({ routes }) => routes,
    nameOf: ({ model }: RouteConfig) => model,
    entryOf: (config) => config,
  }),
  entries({
    kind: 'policies',
    declared: ({ policies }) => policies,
    nameOf: ({ name }: PolicyConfig) => name,
    entryOf: (config) => config,
  }),
  entries({
    kind: 'settings',
    declared: ({ settings }) => settings,
    nameOf: ({ section }: FileOrg['settings'][number]['config']) => section,
    entryOf: ({ value }) => ({ value }),
  }),
];

/** An entry as the audit log keeps it. */
function shownEntry(row: EntryRow): JsonObject {
  return { ...parsed(row), source: row.source, line: row.source_line };
}
