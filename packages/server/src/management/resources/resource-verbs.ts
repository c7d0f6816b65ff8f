import { idParams, page } from '@floe/contract/api/page';
import { Fault } from '@floe/contract/faults';
import { isObject, type JsonObject } from '@floe/contract/json';
import * as z from 'zod';
import { requireReasonAndStepUp } from '../access.ts';
import { readVerb, type Verb, writeVerb } from '../verb.ts';
import type { Reading, Writing } from '../verb-definition.ts';
import type { Answer, ResourceKind, Shapes, StoredKind, WrittenKind } from './resource-kind.ts';

/** List, create, read, change, replace and remove: what the API does with objects of a kind. */
export function resourceVerbs<Row, Config, View extends Answer, S extends Shapes<View>>(
  kind: ResourceKind<Row, Config, View, S>,
): readonly Verb[] {
  const [list, get] = readVerbs(kind);
  const [create, ...others] = writeVerbs(kind);
  return [list, create, get, ...others].filter((verb) => verb !== undefined);
}

function readVerbs<Row, Config, View extends Answer, S extends Shapes<View>>(
  kind: ResourceKind<Row, Config, View, S>,
): readonly Verb[] {
  const { path, scope, summaries, shapes, live } = kind;
  const answer: z.ZodType<unknown, View> = shapes.answer;
  return [
    readVerb({
      name: `${kind.kind}.list`,
      method: 'GET',
      path,
      scope,
      summary: summaries.list,
      query: shapeOf(shapes, 'list'),
      answer: page(answer),
      async run(context, { query }) {
        const { rows, nextCursor } = await kind.page(context, query);
        const data = await Promise.all(rows.map((row) => kind.view(row, context)));
        return { data, next_cursor: nextCursor };
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
      answer,
      async run(context, { params }) {
        return kind.view(await existing(kind, context, params.id), context);
      },
    }),
  ];
}

// budget: one declaration per operation
function writeVerbs<Row, Config, View extends Answer, S extends Shapes<View>>(
  kind: ResourceKind<Row, Config, View, S>,
): readonly Verb[] {
  const { path, scope, summaries, shapes } = kind;
  const answer: z.ZodType<unknown, View> = shapes.answer;
  const common = {
    scope,
    changes: kind.changes ?? null,
    ...(kind.roles && { roles: kind.roles }),
    ...(kind.before && { before: kind.before }),
  } as const;
  const one = `${path}/{id}` as const;
  return [
    writeVerb({
      ...common,
      name: `${kind.kind}.create`,
      method: 'POST',
      path,
      summary: summaries.create,
      body: shapeOf(shapes, 'creation'),
      answer: kind.shownOnce?.answer ?? answer,
      status: 201,
      ...(kind.shownOnce && { idempotent: true }),
      async run(context, input) {
        const config = await kind.created(context, input);
        const { answer: shown, audit } = await create(kind, context, config, reasonIn(kind, input.body));
        return { answer: { ...shown, ...kind.shownOnce?.of(config) }, audit };
      },
    }),
    writeVerb({
      ...common,
      name: `${kind.kind}.update`,
      method: 'PATCH',
      path: one,
      summary: summaries.update,
      params: idParams,
      body: shapeOf(shapes, 'change'),
      answer,
      status: 200,
      async run(context, input) {
        const row = await changeable(kind, context, input.params.id);
        const config = await kind.changed(context, row, input);
        return update(kind, context, { row, config }, reasonIn(kind, input.body));
      },
    }),
    writeVerb({
      ...common,
      name: `${kind.kind}.replace`,
      method: 'PUT',
      path: one,
      summary: summaries.replace,
      params: shapes.replaceParams ?? idParams,
      body: shapeOf(shapes, 'replacement'),
      answer,
      status: 200,
      async run(context, input) {
        const { id } = input.params;
        const row = (await kind.find(context.writer, context.orgId, id)) ?? null;
        if (row && kind.mayRead?.(row, context.actor) === false)
          throw new Fault('conflict', 'Another one has this id; choose another.', { param: 'id' });
        if (row) kind.mustBeChangeable?.(row, context.actor);
        const config = await kind.replaced(context, row, id, input);
        const reason = reasonIn(kind, input.body);
        return row ? update(kind, context, { row, config }, reason) : create(kind, context, config, reason);
      },
    }),
    writeVerb({
      ...common,
      name: `${kind.kind}.${kind.removal ?? 'delete'}`,
      method: 'DELETE',
      path: one,
      summary: summaries.delete,
      params: idParams,
      ...(shapes.removal && { query: shapes.removal }),
      answer: z.null(),
      status: 204,
      async run(context, { params, query }) {
        const row = await changeable(kind, context, params.id);
        const reason = reasonIn(kind, query);
        mustBeMeant(kind, context, { row, config: null }, reason);
        const view = await kind.view(row, context);
        const before = shownAs(kind, row, view);
        const isGone = (await kind.remove(context, row)) === false;
        if (isGone) return { answer: null, audit: 'unchanged' };
        const left = kind.removal && (await kind.find(context.writer, context.orgId, params.id));
        const after = left ? shownAs(kind, left, await kind.view(left, context)) : null;
        return { answer: null, audit: { subject: view.id, before, after, reason } };
      },
    }),
  ];
}

/** Unlike `shapes.change`, it has the type of this kind's schema, not that of all. */
function shapeOf<S, Name extends keyof S>(shapes: S, name: Name): S[Name] {
  return shapes[name];
}

/** @throws Fault `not_found`, also for what another org has */
export async function existing<Row>(
  kind: StoredKind<Row>,
  { reader, orgId, actor }: Reading,
  id: string,
): Promise<Row> {
  const row = await kind.find(reader, orgId, id);
  if (!row || kind.mayRead?.(row, actor) === false)
    throw new Fault(kind.unknownCode ?? 'not_found', kind.unknown);
  return row;
}

/** @throws Fault `not_found`, `managed_by_file` */
export async function changeable<Row>(kind: StoredKind<Row>, context: Writing, id: string): Promise<Row> {
  const row = await existing(kind, context, id);
  kind.mustBeChangeable?.(row, context.actor);
  return row;
}

/** Why somebody asks, where the kind takes that. */
function reasonIn(kind: Pick<WrittenKind<never, never, Answer>, 'raises'>, fields: unknown): string | null {
  const given = kind.raises && isObject(fields) ? fields['reason'] : null;
  return typeof given === 'string' ? given : null;
}

/** @throws Fault `reason_required`, `step_up_required` */
function mustBeMeant<Row, Config, View extends Answer>(
  kind: WrittenKind<Row, Config, View>,
  { actor, clock }: Writing,
  { row, config }: { readonly row: Row; readonly config: Config | null },
  reason: string | null,
): void {
  if (kind.raises?.(row, config)) requireReasonAndStepUp(actor, reason, clock.now());
}

async function create<Row, Config, View extends Answer>(
  kind: WrittenKind<Row, Config, View>,
  context: Writing,
  config: Config,
  reason: string | null,
) {
  const row = await kind.insert(context, config);
  const answer = await kind.view(row, context);
  return {
    answer,
    audit: { subject: answer.id, before: null, after: shownAs(kind, row, answer), reason },
  };
}

/** What an object has already changes nothing. */
async function update<Row, Config, View extends Answer>(
  kind: WrittenKind<Row, Config, View>,
  context: Writing,
  change: { readonly row: Row; readonly config: Config },
  reason: string | null,
) {
  const { row, config } = change;
  mustBeMeant(kind, context, change, reason);
  const before = await kind.view(row, context);
  const next = await kind.update(context, row, config);
  if (next === null) return { answer: before, audit: 'unchanged' as const };
  const answer = await kind.view(next, context);
  const audit = {
    subject: answer.id,
    before: shownAs(kind, row, before),
    after: shownAs(kind, next, answer),
    reason,
  };
  return { answer, audit };
}

function shownAs<Row, Config, View extends Answer>(
  kind: WrittenKind<Row, Config, View>,
  row: Row,
  view: View,
): JsonObject | null {
  return kind.shown ? kind.shown(view, row) : view;
}
