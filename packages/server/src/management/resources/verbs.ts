import { idParams, listQuery, page } from '@floe/contract/api/page';
import { Fault } from '@floe/contract/faults';
import type { JsonObject } from '@floe/contract/json';
import * as z from 'zod';
import type { Reader } from '../../store/ports.ts';
import { readVerb, type Verb, writeVerb } from '../verb.ts';
import type { Writing } from '../verb-definition.ts';
import type { ResourceKind, StoredKind, WrittenKind } from './resource-kind.ts';

/** List, create, read, change, replace and remove: what the API does with objects of a kind. */
export function resourceVerbs<
  Row,
  Config,
  View extends JsonObject,
  Creation extends z.ZodType,
  Change extends z.ZodType,
  Replacement extends z.ZodType,
>(kind: ResourceKind<Row, Config, View, Creation, Change, Replacement>): readonly Verb[] {
  const [list, get] = readVerbs(kind);
  const [create, ...others] = writeVerbs(kind);
  return [list, create, get, ...others].filter((verb) => verb !== undefined);
}

function readVerbs<
  Row,
  Config,
  View extends JsonObject,
  Creation extends z.ZodType,
  Change extends z.ZodType,
  Replacement extends z.ZodType,
>(kind: ResourceKind<Row, Config, View, Creation, Change, Replacement>): readonly Verb[] {
  const { path, scope, summaries, shapes, live } = kind;
  return [
    readVerb({
      name: `${kind.kind}.list`,
      method: 'GET',
      path,
      scope,
      summary: summaries.list,
      query: listQuery(),
      answer: page(shapes.answer),
      async run({ orgId, reader }, { query }) {
        const { rows, nextCursor } = await kind.page(reader, { orgId, ...query });
        return { data: rows.map((row) => kind.view(row)), next_cursor: nextCursor };
      },
    }),
    readVerb({
      name: `${kind.kind}.get`,
      method: 'GET',
      path: `${path}/{id}`,
      scope,
      summary: summaries.get,
      ...(live && { live }),
      params: idParams,
      answer: shapes.answer,
      run: async ({ orgId, reader }, { params }) => kind.view(await existing(kind, reader, orgId, params.id)),
    }),
  ];
}

// budget: one declaration per operation
function writeVerbs<
  Row,
  Config,
  View extends JsonObject,
  Creation extends z.ZodType,
  Change extends z.ZodType,
  Replacement extends z.ZodType,
>(kind: ResourceKind<Row, Config, View, Creation, Change, Replacement>): readonly Verb[] {
  const { path, scope, summaries, shapes } = kind;
  const common = { scope, changes: null } as const;
  const one = `${path}/{id}` as const;
  return [
    writeVerb({
      ...common,
      name: `${kind.kind}.create`,
      method: 'POST',
      path,
      summary: summaries.create,
      body: shapes.creation,
      answer: shapes.answer,
      status: 201,
      run: async (context, { body }) => create(kind, context, await kind.created(context, body)),
    }),
    writeVerb({
      ...common,
      name: `${kind.kind}.update`,
      method: 'PATCH',
      path: one,
      summary: summaries.update,
      params: idParams,
      body: shapes.change,
      answer: shapes.answer,
      status: 200,
      async run(context, { params, body }) {
        const row = await changeable(kind, context, params.id);
        return update(kind, context, row, await kind.changed(context, row, body));
      },
    }),
    writeVerb({
      ...common,
      name: `${kind.kind}.replace`,
      method: 'PUT',
      path: one,
      summary: summaries.replace,
      params: shapes.replaceParams ?? idParams,
      body: shapes.replacement,
      answer: shapes.answer,
      status: 200,
      async run(context, { params, body }) {
        const row = (await kind.find(context.writer, context.orgId, params.id)) ?? null;
        if (row) kind.mustBeChangeable?.(row);
        const config = await kind.replaced(context, row, params.id, body);
        return row ? update(kind, context, row, config) : create(kind, context, config);
      },
    }),
    writeVerb({
      ...common,
      name: `${kind.kind}.delete`,
      method: 'DELETE',
      path: one,
      summary: summaries.delete,
      params: idParams,
      answer: z.null(),
      status: 204,
      async run(context, { params }) {
        const row = await changeable(kind, context, params.id);
        await kind.remove(context, row);
        return {
          answer: null,
          audit: { subject: kind.subjectOf(row), before: kind.shown(row), after: null },
        };
      },
    }),
  ];
}

/** @throws Fault `not_found`, also for what another org has */
export async function existing<Row>(
  kind: StoredKind<Row>,
  reader: Reader,
  orgId: string,
  id: string,
): Promise<Row> {
  const row = await kind.find(reader, orgId, id);
  if (!row) throw new Fault('not_found', kind.unknown);
  return row;
}

/** @throws Fault `not_found`, `managed_by_file` */
async function changeable<Row>(kind: StoredKind<Row>, { writer, orgId }: Writing, id: string): Promise<Row> {
  const row = await existing(kind, writer, orgId, id);
  kind.mustBeChangeable?.(row);
  return row;
}

async function create<Row, Config, View extends JsonObject>(
  kind: WrittenKind<Row, Config, View>,
  context: Writing,
  config: Config,
) {
  const row = await kind.insert(context, config);
  return {
    answer: kind.view(row),
    audit: { subject: kind.subjectOf(row), before: null, after: kind.shown(row) },
  };
}

/** What an object has already changes nothing. */
async function update<Row, Config, View extends JsonObject>(
  kind: WrittenKind<Row, Config, View>,
  context: Writing,
  row: Row,
  config: Config,
) {
  const next = await kind.update(context, row, config);
  if (next === null) return { answer: kind.view(row), audit: 'unchanged' as const };
  const audit = { subject: kind.subjectOf(row), before: kind.shown(row), after: kind.shown(next) };
  return { answer: kind.view(next), audit };
}
