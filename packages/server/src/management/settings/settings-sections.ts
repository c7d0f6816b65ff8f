import type { OrgConfig } from '@floe/contract/config';
import { findCrossObjectIssues } from '@floe/contract/config/cross-object-rules';
import { ORG_SETTINGS_FIELDS, OrgSchema } from '@floe/contract/config/org';
import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import * as z from 'zod';
import { explainIssue } from '../../config/explain-issue.ts';
import {
  mergeOrgSettings,
  type OrgSettings,
  type SettingsSection,
} from '../../platform/config/settings-sections.ts';
import { parseStoredConfigEntry } from '../../platform/config/stored-config.ts';
import { toResourceSource } from '../../platform/source-location.ts';
import {
  type ConfigEntryRow,
  deleteConfigEntry,
  insertConfigEntry,
  listConfigEntriesOfOrg,
  updateConfigEntry,
} from '../../store/config-entries.ts';
import type { DatabaseReader } from '../../store/store-interfaces.ts';
import { buildConfigEntryRow, toConfigEntryMetadata } from '../entries/config-entry-row.ts';
import { type GetLoadedOrg, listProviderIds } from '../loaded-org.ts';
import { requireNotManagedByFile } from '../managed-by-file.ts';
import type { WriteOperationContext } from '../operation-definition.ts';
import { castToJson, createInvalidInputFault } from '../validate-input.ts';

/** An organization's stored settings, from floe.yaml and from the API. */
export interface StoredSettings {
  readonly rows: readonly ConfigEntryRow[];
  readonly settings: OrgSettings;
}

/** Loads all of an organization's settings sections. */
export async function loadStoredSettings(reader: DatabaseReader, orgId: string): Promise<StoredSettings> {
  const rows = await listConfigEntriesOfOrg(reader, orgId, 'settings');
  const over = Object.fromEntries(rows.map((row) => [row.id, parseStoredConfigEntry(row)['value']]));
  return { rows, settings: mergeOrgSettings(defaultOrgConfig(), over) };
}

function defaultOrgConfig(): OrgConfig {
  return OrgSchema.parse({ id: 'defaults' });
}

/**
 * Returns a section's source and metadata. For a section without a stored row, the source is `console` and the other
 * fields are null.
 */
export function getSettingsSectionMetadata({ rows }: StoredSettings, section: SettingsSection) {
  const row = rows.find(({ id }) => id === section);
  if (row) return toConfigEntryMetadata(row);
  const source = toResourceSource({ source: 'console', source_line: null });
  return { source, created_at: null, updated_at: null, updated_by: null };
}

/**
 * Changes the given fields of a settings section and keeps all other stored fields. The value null restores
 * the default of a field. Returns false if nothing changed.
 *
 * @throws Fault `invalid_request` with `param` for an invalid value; `managed_by_file` if floe.yaml defines the
 * section
 */
export async function writeSettingsSection(
  context: WriteOperationContext,
  before: StoredSettings,
  { section, given }: { readonly section: SettingsSection; readonly given: Json },
  getLoadedOrg: GetLoadedOrg,
): Promise<boolean> {
  const { writer, orgId } = context;
  const row = before.rows.find(({ id }) => id === section);
  if (row) requireNotManagedByFile('setting', row.id, row);
  if (given === null) {
    if (row) await deleteConfigEntry(writer, row);
    return row !== undefined;
  }
  const current = castToJson(before.settings[section]);
  const wanted =
    isJsonObject(given) && isJsonObject(current) ? { ...current, ...nullToUndefined(given) } : given;
  const entry_json = JSON.stringify({
    value: validateSection(section, wanted, await listProviderIds(writer, orgId, getLoadedOrg)),
  });
  // Sending the default of a section that has no row stores nothing.
  if (entry_json === (row?.entry_json ?? JSON.stringify({ value: before.settings[section] }))) return false;
  const written = buildConfigEntryRow(context, row ?? null, { kind: 'settings', id: section, entry_json });
  if (row) await updateConfigEntry(writer, row, written);
  else await insertConfigEntry(writer, written);
  return true;
}

/** Converts null to undefined, so that the field returns to its default. */
function nullToUndefined(given: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value ?? undefined]));
}

/** @throws Fault `invalid_request` with the message of `floe config check` */
function validateSection(section: SettingsSection, value: Json, providers: readonly string[]): unknown {
  const schema = z.strictObject({ [section]: ORG_SETTINGS_FIELDS[section] });
  const tree = castToJson(JSON.parse(JSON.stringify({ [section]: value })));
  const result = schema.safeParse(tree);
  const org = { ...(isJsonObject(tree) && tree), providers: providers.map((id) => ({ id })) };
  const references = findCrossObjectIssues({ orgs: [org] })
    .filter(({ path }) => path[2] === section)
    .map(({ path, message }) => ({ path: path.slice(2), message }));
  const [first] = [
    ...(result.error?.issues ?? []).flatMap((issue) => explainIssue(issue, { schema, tree })),
    ...references,
  ];
  if (first) throw createInvalidInputFault(first);
  return result.data?.[section];
}
