import type { OrgConfig } from '@floe/contract/config';
import { OrgSchema, SETTINGS } from '@floe/contract/config/org';
import { checkReferences } from '@floe/contract/config/references';
import { isObject, type Json, type JsonObject } from '@floe/contract/json';
import * as z from 'zod';
import { explain } from '../../config/explain.ts';
import { type OrgSettings, type Section, settingsOf } from '../../platform/config/sections.ts';
import { parsed } from '../../platform/config/stored-config.ts';
import { placeOf } from '../../platform/file-place.ts';
import {
  changeEntry,
  type EntryRow,
  entriesOfOrg,
  insertEntry,
  removeEntry,
} from '../../store/config-entries.ts';
import type { Reader } from '../../store/ports.ts';
import { entryRow, shownOf } from '../entries/entry-row.ts';
import { asJson, refused } from '../input.ts';
import { mustNotBeInFile } from '../managed-by-file.ts';
import { providerIds, type RunningOrgs } from '../running-org.ts';
import type { Writing } from '../verb-definition.ts';

/** The settings of an org as the store has them: those of floe.yaml and those of the API. */
export interface StoredSections {
  readonly rows: readonly EntryRow[];
  readonly settings: OrgSettings;
}

export async function storedSections(reader: Reader, orgId: string): Promise<StoredSections> {
  const rows = await entriesOfOrg(reader, orgId, 'settings');
  const over = Object.fromEntries(rows.map((row) => [row.id, parsed(row)['value']]));
  return { rows, settings: settingsOf(defaults(), over) };
}

function defaults(): OrgConfig {
  return OrgSchema.parse({ id: 'defaults' });
}

/** Where a section stands; without a row it has its default. */
export function sourceOf({ rows }: StoredSections, section: Section) {
  const row = rows.find(({ id }) => id === section);
  if (row) return shownOf(row);
  const source = placeOf({ source: 'console', source_line: null });
  return { source, created_at: null, updated_at: null, updated_by: null };
}

/**
 * Writes a section: the given fields over its own, or null for the default. False when that changes nothing.
 *
 * @throws Fault `invalid_request` at its place, `managed_by_file`
 */
export async function putSection(
  context: Writing,
  before: StoredSections,
  { section, given }: { readonly section: Section; readonly given: Json },
  orgs: RunningOrgs,
): Promise<boolean> {
  const { writer, orgId } = context;
  const row = before.rows.find(({ id }) => id === section);
  if (row) mustNotBeInFile('setting', row.id, row);
  if (given === null) {
    if (row) await removeEntry(writer, row);
    return row !== undefined;
  }
  const current = asJson(before.settings[section]);
  const wanted = isObject(given) && isObject(current) ? { ...current, ...withoutNull(given) } : given;
  const entry_json = JSON.stringify({
    value: checkedSection(section, wanted, await providerIds(writer, orgId, orgs)),
  });
  // What has its default and is given back so stays the default's.
  if (entry_json === (row?.entry_json ?? JSON.stringify({ value: before.settings[section] }))) return false;
  const written = entryRow(context, row ?? null, { kind: 'settings', id: section, entry_json });
  if (row) await changeEntry(writer, row, written);
  else await insertEntry(writer, written);
  return true;
}

/** A field that is null returns to its default. */
function withoutNull(given: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value ?? undefined]));
}

/** @throws Fault `invalid_request` in the words of `floe config check` */
function checkedSection(section: Section, value: Json, providers: readonly string[]): unknown {
  const schema = z.strictObject({ [section]: SETTINGS[section] });
  const tree = asJson(JSON.parse(JSON.stringify({ [section]: value })));
  const result = schema.safeParse(tree);
  const org = { ...(isObject(tree) && tree), providers: providers.map((id) => ({ id })) };
  const references = checkReferences({ orgs: [org] })
    .filter(({ path }) => path[2] === section)
    .map(({ path, message }) => ({ path: path.slice(2), message }));
  const [first] = [
    ...(result.error?.issues ?? []).flatMap((issue) => explain(issue, { schema, tree })),
    ...references,
  ];
  if (first) throw refused(first);
  return result.data?.[section];
}
