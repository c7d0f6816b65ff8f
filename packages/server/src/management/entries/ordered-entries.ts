import type { PolicyConfig, RouteConfig } from '@floe/contract/config';
import { Fault } from '@floe/contract/faults';
import type { JsonObject } from '@floe/contract/json';
import { isObject } from '@floe/contract/json';
import { newId } from '../../core/ids.ts';
import { parsed } from '../../platform/config/stored-config.ts';
import {
  changeEntry,
  type EntryRow,
  entriesOfOrg,
  insertEntry,
  removeEntry,
} from '../../store/config-entries.ts';
import type { Reader, Writer } from '../../store/ports.ts';
import { mustNotBeInFile } from '../in-file.ts';
import { asJson, refused } from '../input.ts';
import { type ListQuery, listPage } from '../list-page.ts';
import type { RunningOrgs } from '../running-org.ts';
import type { Change, VerbContext } from '../verb.ts';
import { checkedEntry, ECHOED, overlaid } from './checked.ts';
import type { OrderedKind } from './ordered-kind.ts';

type Reading = VerbContext & { readonly reader: Reader };
type Writing = VerbContext & { readonly writer: Writer };
type Fields = Readonly<Record<string, unknown>>;

/** The routes, or the policies, of orgs: what the verbs do with them. */
export class OrderedEntries<Config extends RouteConfig | PolicyConfig, View extends JsonObject> {
  readonly kind: OrderedKind<Config, View>;
  readonly #orgs: RunningOrgs;

  constructor(kind: OrderedKind<Config, View>, orgs: RunningOrgs) {
    this.kind = kind;
    this.#orgs = orgs;
  }

  async list({ reader, orgId }: Reading, query: ListQuery) {
    const rows = await entriesOfOrg(reader, orgId, this.kind.kind);
    const views = rows.map((row, position) => ({ row, view: this.kind.view(row, position) }));
    const place = ({ row: { id, created_at: at } }: (typeof views)[number]) => ({ id, at });
    const { data, next_cursor } = listPage(views, place, query);
    return { data: data.map(({ view }) => view), next_cursor };
  }

  /** @throws Fault `not_found` */
  async get({ reader, orgId }: Reading, id: string): Promise<View> {
    const rows = await entriesOfOrg(reader, orgId, this.kind.kind);
    const position = rows.findIndex((row) => row.id === id);
    const row = rows[position];
    if (!row) throw this.#unknown();
    return this.kind.view(row, position);
  }

  /** @throws Fault `conflict` when there is one of this name */
  async create(context: Writing, fields: Fields) {
    const rows = await entriesOfOrg(context.writer, context.orgId, this.kind.kind);
    return this.#write(context, rows, null, {}, fields);
  }

  /** @throws Fault `not_found`, `managed_by_file` */
  async update(context: Writing, id: string, fields: Fields) {
    const rows = await entriesOfOrg(context.writer, context.orgId, this.kind.kind);
    const before = rows.find((row) => row.id === id);
    if (!before) throw this.#unknown();
    return this.#write(context, rows, before, parsed(before), fields);
  }

  /** The same body again changes nothing. @throws Fault `managed_by_file` */
  async replace(context: Writing, id: string, fields: Fields) {
    const { named } = this.kind;
    if ((fields[named] ?? id) !== id)
      throw refused({ path: [named], message: 'is not the one of the path; PATCH gives another name' });
    const rows = await entriesOfOrg(context.writer, context.orgId, this.kind.kind);
    const before = rows.find((row) => row.id === id) ?? null;
    return this.#write(context, rows, before, { [named]: id }, fields);
  }

  /** @throws Fault `not_found`, `managed_by_file` */
  async remove({ writer, orgId }: Writing, id: string): Promise<{ answer: null; audit: Change }> {
    const rows = await entriesOfOrg(writer, orgId, this.kind.kind);
    const position = rows.findIndex((row) => row.id === id);
    const row = rows[position];
    if (!row) throw this.#unknown();
    mustNotBeInFile(this.kind.one, row.id, row);
    await removeEntry(writer, row);
    return { answer: null, audit: { subject: id, before: this.kind.view(row, position), after: null } };
  }

  async #write(
    context: Writing,
    rows: readonly EntryRow[],
    before: EntryRow | null,
    base: JsonObject,
    fields: Fields,
  ): Promise<{ answer: View; audit: Change | 'unchanged' }> {
    const { kind } = this;
    if (before) mustNotBeInFile(kind.one, before.id, before);
    const config = checkedEntry({
      section: kind.kind,
      schema: kind.schema,
      entry: entryOf(overlaid(base, fields, ECHOED)),
      beside: kind.beside(await providerIds(context.writer, context.orgId, this.#orgs)),
      examine: (entry: Config) => kind.examine(entry),
    });
    const id = kind.nameOf(config);
    if (id !== before?.id && rows.some((row) => row.id === id))
      throw new Fault('conflict', `There is a ${kind.one} "${id}" already.`, { param: kind.named });
    const rank = typeof fields['position'] === 'number' ? fields['position'] : null;
    const shownBefore = before && kind.view(before, rows.indexOf(before));
    const isSame = before !== null && before.entry_json === JSON.stringify(config);
    if (before && isSame && (rank === null || rank === rows.indexOf(before)))
      return { answer: kind.view(before, rows.indexOf(before)), audit: 'unchanged' };
    const row = rowOf(context, kind.kind, id, before, JSON.stringify(config));
    const position = await place(context.writer, rows, before, row, rank);
    const answer = kind.view(row, position);
    return { answer, audit: { subject: id, before: shownBefore, after: answer } };
  }

  #unknown(): Fault {
    return new Fault('not_found', `There is no such ${this.kind.one}.`);
  }
}

/** Providers that may be named: those of the store at this moment, and those the environment gives. */
export async function providerIds(reader: Reader, orgId: string, orgs: RunningOrgs): Promise<string[]> {
  const rows = await entriesOfOrg(reader, orgId, 'providers');
  return [...new Set([...rows.map(({ id }) => id), ...orgs(orgId).catalog.providers.keys()])];
}

/** @throws Error never: what was laid over an object is one */
function entryOf(fields: Fields): JsonObject {
  const json = asJson(fields);
  return isObject(json) ? json : {};
}

function rowOf(
  { orgId, actor, clock }: VerbContext,
  kind: EntryRow['kind'],
  id: string,
  before: EntryRow | null,
  entry_json: string,
): EntryRow {
  const now = clock.now();
  return {
    org_id: orgId,
    kind,
    id,
    row_id: before?.row_id ?? newId('cfg', now),
    position: 0,
    entry_json,
    secrets_sealed: null,
    secrets_version: 0,
    source: 'console',
    source_file: null,
    source_line: null,
    created_at: before?.created_at ?? now,
    updated_at: now,
    updated_by: actor.id,
  };
}

/** Writes a row where it belongs among the others and returns its place; those of floe.yaml stay in front. */
async function place(
  writer: Writer,
  rows: readonly EntryRow[],
  before: EntryRow | null,
  row: EntryRow,
  rank: number | null,
): Promise<number> {
  const inFile = rows.filter(({ source }) => source === 'file').length;
  const others = rows.filter((one) => one.source !== 'file' && one !== before);
  const stayed = before ? rows.indexOf(before) : rows.length;
  const at = Math.min(Math.max((rank ?? stayed) - inFile, 0), others.length);
  const ordered = others.toSpliced(at, 0, row);
  if (before) await changeEntry(writer, before, { ...row, position: at });
  else await insertEntry(writer, { ...row, position: at });
  for (const [position, one] of ordered.entries())
    if (one !== row && one.position !== position) await changeEntry(writer, one, { position });
  return inFile + at;
}
