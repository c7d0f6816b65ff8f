import { createListQuerySchema } from '@floe/contract/api/page';
import { Fault } from '@floe/contract/faults';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import type * as z from 'zod';
import { parseStoredConfigEntry } from '../../platform/config/stored-config.ts';
import {
  type ConfigEntryKind,
  type ConfigEntryRow,
  deleteConfigEntry,
  insertConfigEntry,
  listConfigEntriesOfOrg,
  shiftConfigEntryPositions,
  updateConfigEntry,
} from '../../store/config-entries.ts';
import type { DatabaseWriter } from '../../store/store-interfaces.ts';
import { buildConfigEntryRow } from '../entries/config-entry-row.ts';
import {
  mergePatchFields,
  parseConfigEntry,
  READ_ONLY_CONFIG_ENTRY_FIELDS,
} from '../entries/parse-config-entry.ts';
import { paginateList } from '../list-page.ts';
import { type GetLoadedOrg, listProviderIds } from '../loaded-org.ts';
import { requireNotManagedByFile } from '../managed-by-file.ts';
import type { WriteOperationContext } from '../operation-definition.ts';
import { castToJson, createInvalidInputFault } from '../validate-input.ts';
import type { ResourceKind, ResourceObject } from './resource-kind.ts';

/** The properties that differ between kinds of ordered entries. */
export interface OrderedResourceKindSpec<Config extends object, View extends ResourceObject> {
  readonly kind: ConfigEntryKind;
  /** The name of one resource in messages, such as `policy`. */
  readonly singular: string;
  /** The field that contains the name of a resource. */
  readonly nameField: string;
  readonly schema: z.ZodType<Config>;
  readonly answer: z.ZodType<View, View>;
  readonly body: z.ZodObject;
  nameOf(config: Config): string;
  /** Returns a problem of a valid entry and its field, or null. */
  findProblem?(config: Config): { readonly field: string; readonly message: string } | null;
  /** Returns a problem that all entries of the organization cause together, or null. */
  findListProblem?(
    list: readonly ConfigEntryRow[],
  ): { readonly field: string; readonly message: string } | null;
  toResource(row: ConfigEntryRow, position: number): View;
}

/** An entry with its position and its list. */
interface RankedEntry {
  readonly row: ConfigEntryRow;
  readonly position: number;
  readonly list: readonly ConfigEntryRow[];
}

interface OrderedEntryInput<Config> {
  readonly config: Config;
  /** Null: the current position, or the end of the list for a new entry. */
  readonly position: number | null;
}

// budget: one declaration
/**
 * Creates a resource kind whose resources are the entries of an ordered list, which are stored in `config_entries`.
 * Entries of floe.yaml come first.
 */
export function createOrderedResourceKind<Config extends object, View extends ResourceObject>(
  spec: OrderedResourceKindSpec<Config, View>,
  getLoadedOrg: GetLoadedOrg,
) {
  const { kind, singular, nameField, body } = spec;
  const shapes = {
    answer: spec.answer,
    list: createListQuerySchema(['position']),
    creation: body,
    change: body,
    replacement: body,
  };
  /** Parses the original input with its short forms, so that errors have the paths that the client used. */
  const parseInput = async (
    context: WriteOperationContext,
    base: JsonObject,
    sent: unknown,
  ): Promise<OrderedEntryInput<Config>> => {
    const fields = toJsonObject(sent);
    const rank = fields['position'];
    const config = parseConfigEntry({
      section: kind,
      schema: spec.schema,
      entry: toJsonObject(mergePatchFields(base, fields, READ_ONLY_CONFIG_ENTRY_FIELDS)),
      providers: await listProviderIds(context.reader, context.orgId, getLoadedOrg),
      findProblem: (checked: Config) => spec.findProblem?.(checked) ?? null,
    });
    return { config, position: typeof rank === 'number' ? rank : null };
  };
  const requireFreeName = (list: readonly ConfigEntryRow[], id: string) => {
    if (list.some((row) => row.id === id))
      throw new Fault('conflict', `The ${singular} "${id}" already exists. Choose another ${nameField}.`, {
        param: nameField,
      });
  };
  const declared: ResourceKind<RankedEntry, OrderedEntryInput<Config>, View, typeof shapes> = {
    kind,
    path: `/api/management/${kind}`,
    scope: 'management',
    invalidates: 'config',
    summaries: {
      list: `List ${kind} in evaluation order: those in floe.yaml first`,
      create: `Create a ${singular}; it takes effect before the response is sent, and in other Floe processes within two seconds`,
      get: `Read one ${singular}`,
      update: `Change fields or the position of a ${singular}; null resets a field to its default`,
      replace: `Create or replace a ${singular} by its id; accepts the body that GET returns`,
      delete: `Remove a ${singular}`,
    },
    schemas: shapes,
    notFoundMessage: `No ${singular} has this id.`,
    async find(reader, orgId, id) {
      const list = await listConfigEntriesOfOrg(reader, orgId, kind);
      return rankEntries(list).find(({ row }) => row.id === id);
    },
    async getPage({ reader, orgId }, query) {
      const ranked = rankEntries(await listConfigEntriesOfOrg(reader, orgId, kind));
      return paginateList(ranked, ({ row }) => ({ id: row.id, createdAt: row.created_at }), query);
    },
    toResource: ({ row, position }) => spec.toResource(row, position),
    requireChangeable: ({ row }) => requireNotManagedByFile(singular, row.id, row),
    configFromCreation: (context, { sent }) => parseInput(context, {}, sent),
    configFromPatch: (context, { row }, { sent }) => parseInput(context, parseStoredConfigEntry(row), sent),
    configFromReplacement(context, _, id, { sent }) {
      if ((toJsonObject(sent)[nameField] ?? id) !== id)
        throw createInvalidInputFault({
          path: [nameField],
          message: 'must match the id in the path; use PATCH to rename',
        });
      return parseInput(context, { [nameField]: id }, sent);
    },
    async insert(context, { config, position: rank }) {
      const list = await listConfigEntriesOfOrg(context.reader, context.orgId, kind);
      const id = spec.nameOf(config);
      requireFreeName(list, id);
      const row = buildConfigEntryRow(context, null, { kind, id, entry_json: JSON.stringify(config) });
      const position = await writeAtPosition(context.writer, list, { before: null, row, rank });
      return { row, position, list };
    },
    async update(context, { row: before, position, list }, { config, position: rank }) {
      const id = spec.nameOf(config);
      const entry_json = JSON.stringify(config);
      if (id !== before.id) requireFreeName(list, id);
      if (before.entry_json === entry_json && (rank ?? position) === position) return null;
      const row = buildConfigEntryRow(context, before, { kind, id, entry_json });
      return { row, position: await writeAtPosition(context.writer, list, { before, row, rank }), list };
    },
    remove: ({ writer }, { row }) => deleteConfigEntry(writer, row),
    async requireValidResult({ reader, orgId }) {
      const problem = spec.findListProblem?.(await listConfigEntriesOfOrg(reader, orgId, kind));
      if (problem) throw createInvalidInputFault({ path: [problem.field], message: problem.message });
    },
  };
  return declared;
}

function rankEntries(list: readonly ConfigEntryRow[]): RankedEntry[] {
  return list.map((row, position) => ({ row, position, list }));
}

function toJsonObject(sent: unknown): JsonObject {
  const json = castToJson(sent);
  return isJsonObject(json) ? json : {};
}

/** Returns the stored position of an entry that is appended. Stored positions are unique and can have gaps. */
function getEndPosition(list: readonly ConfigEntryRow[]): number {
  return Math.max(-1, ...list.map(({ position }) => position)) + 1;
}

/** Writes a row at a position of the list and returns the position. Entries of floe.yaml remain first. */
async function writeAtPosition(
  writer: DatabaseWriter,
  list: readonly ConfigEntryRow[],
  {
    before,
    row,
    rank,
  }: { readonly before: ConfigEntryRow | null; readonly row: ConfigEntryRow; readonly rank: number | null },
): Promise<number> {
  const inFile = list.filter(({ source }) => source === 'file').length;
  const others = list.filter((one) => one.source !== 'file' && one !== before);
  const stayed = before ? list.indexOf(before) : list.length;
  const at = Math.min(Math.max((rank ?? stayed) - inFile, 0), others.length);
  const isInPlace = before !== null && stayed - inFile === at;
  const following = others[at];
  const position = isInPlace ? before.position : (following?.position ?? getEndPosition(others));
  if (!isInPlace && following) await shiftConfigEntryPositions(writer, row, position);
  if (before) await updateConfigEntry(writer, before, { ...row, position });
  else await insertConfigEntry(writer, { ...row, position });
  return inFile + at;
}
