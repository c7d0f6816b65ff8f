import { listQuery } from '@floe/contract/api/page';
import { Fault } from '@floe/contract/faults';
import { isObject, type JsonObject } from '@floe/contract/json';
import type * as z from 'zod';
import { parsed } from '../../platform/config/stored-config.ts';
import {
  changeEntry,
  type EntryKind,
  type EntryRow,
  entriesOfOrg,
  insertEntry,
  removeEntry,
} from '../../store/config-entries.ts';
import type { Writer } from '../../store/ports.ts';
import { checkedEntry, ECHOED, overlaid } from '../entries/checked-entry.ts';
import { entryRow } from '../entries/entry-row.ts';
import { asJson, refused } from '../input.ts';
import { pageOfList } from '../list-page.ts';
import { mustNotBeInFile } from '../managed-by-file.ts';
import { providerIds, type RunningOrgs } from '../running-org.ts';
import type { Writing } from '../verb-definition.ts';
import type { Answer, ResourceKind } from './resource-kind.ts';

/** What differs between kinds of entries. */
export interface OrderedEntry<Config extends object, View extends Answer> {
  readonly kind: EntryKind;
  /** In messages. */
  readonly one: string;
  /** The field that names it. */
  readonly named: string;
  readonly schema: z.ZodType<Config>;
  readonly answer: z.ZodType<View, View>;
  readonly body: z.ZodObject;
  nameOf(config: Config): string;
  /** What is wrong with a valid one, and where in it. */
  examine?(config: Config): { readonly field: string; readonly message: string } | null;
  view(row: EntryRow, position: number): View;
}

/** An entry, its place and the list that it is in. */
interface Ranked {
  readonly row: EntryRow;
  readonly position: number;
  readonly list: readonly EntryRow[];
}

interface Wanted<Config> {
  readonly config: Config;
  /** Null: where it is, or last. */
  readonly rank: number | null;
}

/** A kind of `config_entries` that is a list whose order counts: what stands in floe.yaml comes first. */
// budget: one declaration
export function orderedKind<Config extends object, View extends Answer>(
  entry: OrderedEntry<Config, View>,
  orgs: RunningOrgs,
) {
  const { kind, one, named, body } = entry;
  const shapes = {
    answer: entry.answer,
    list: listQuery(['position']),
    creation: body,
    change: body,
    replacement: body,
  };
  /** From what was sent, with its short forms: mistakes are told where the client wrote them. */
  const wanted = async (context: Writing, base: JsonObject, sent: unknown): Promise<Wanted<Config>> => {
    const fields = objectOf(sent);
    const rank = fields['position'];
    const config = checkedEntry({
      section: kind,
      schema: entry.schema,
      entry: objectOf(overlaid(base, fields, ECHOED)),
      providers: await providerIds(context.reader, context.orgId, orgs),
      examine: (checked: Config) => entry.examine?.(checked) ?? null,
    });
    return { config, rank: typeof rank === 'number' ? rank : null };
  };
  const mustBeFree = (list: readonly EntryRow[], id: string) => {
    if (list.some((row) => row.id === id))
      throw new Fault('conflict', `There is a ${one} "${id}" already.`, { param: named });
  };
  const declared: ResourceKind<Ranked, Wanted<Config>, View, typeof shapes> = {
    kind,
    path: `/api/management/${kind}`,
    scope: 'management',
    changes: 'config',
    summaries: {
      list: `List ${kind} in the order that counts: those of floe.yaml first`,
      create: `Create a ${one}; it is in force when this is answered`,
      get: `Read one ${one}`,
      update: `Change some fields of a ${one}, or its place; null returns to the default`,
      replace: `Create or replace the ${one} of this name; what GET returned is accepted`,
      delete: `Remove a ${one}`,
    },
    shapes,
    unknown: `There is no such ${one}.`,
    async find(reader, orgId, id) {
      const list = await entriesOfOrg(reader, orgId, kind);
      return rankedIn(list).find(({ row }) => row.id === id);
    },
    async page({ reader, orgId }, query) {
      const ranked = rankedIn(await entriesOfOrg(reader, orgId, kind));
      return pageOfList(ranked, ({ row }) => ({ id: row.id, at: row.created_at }), query);
    },
    view: ({ row, position }) => entry.view(row, position),
    mustBeChangeable: ({ row }) => mustNotBeInFile(one, row.id, row),
    created: (context, { sent }) => wanted(context, {}, sent),
    changed: (context, { row }, { sent }) => wanted(context, parsed(row), sent),
    replaced(context, _, id, { sent }) {
      if ((objectOf(sent)[named] ?? id) !== id)
        throw refused({ path: [named], message: 'is not the one of the path; PATCH gives another name' });
      return wanted(context, { [named]: id }, sent);
    },
    async insert(context, { config, rank }) {
      const list = await entriesOfOrg(context.reader, context.orgId, kind);
      const id = entry.nameOf(config);
      mustBeFree(list, id);
      const row = entryRow(context, null, { kind, id, entry_json: JSON.stringify(config) });
      const position = await place(context.writer, list, { before: null, row, rank });
      return { row, position, list };
    },
    async update(context, { row: before, position, list }, { config, rank }) {
      const id = entry.nameOf(config);
      const entry_json = JSON.stringify(config);
      if (id !== before.id) mustBeFree(list, id);
      if (before.entry_json === entry_json && (rank ?? position) === position) return null;
      const row = entryRow(context, before, { kind, id, entry_json });
      return { row, position: await place(context.writer, list, { before, row, rank }), list };
    },
    remove: ({ writer }, { row }) => removeEntry(writer, row),
  };
  return declared;
}

function rankedIn(list: readonly EntryRow[]): Ranked[] {
  return list.map((row, position) => ({ row, position, list }));
}

function objectOf(sent: unknown): JsonObject {
  const json = asJson(sent);
  return isObject(json) ? json : {};
}

/** Writes a row where it belongs in the list and returns its place; those of floe.yaml stay in front. */
async function place(
  writer: Writer,
  list: readonly EntryRow[],
  {
    before,
    row,
    rank,
  }: { readonly before: EntryRow | null; readonly row: EntryRow; readonly rank: number | null },
): Promise<number> {
  const inFile = list.filter(({ source }) => source === 'file').length;
  const others = list.filter((one) => one.source !== 'file' && one !== before);
  const stayed = before ? list.indexOf(before) : list.length;
  const at = Math.min(Math.max((rank ?? stayed) - inFile, 0), others.length);
  const ordered = others.toSpliced(at, 0, row);
  if (before) await changeEntry(writer, before, { ...row, position: at });
  else await insertEntry(writer, { ...row, position: at });
  for (const [position, one] of ordered.entries())
    if (one !== row && one.position !== position) await changeEntry(writer, one, { position });
  return inFile + at;
}
