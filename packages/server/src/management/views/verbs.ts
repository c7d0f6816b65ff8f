import { idParams, page } from '@floe/contract/api/page';
import { view, viewBody, viewParams, viewPatch, viewQuery, viewReplacement } from '@floe/contract/api/views';
import { Fault } from '@floe/contract/faults';
import { ROLES } from '@floe/contract/roles';
import * as z from 'zod';
import { newId } from '../../core/ids.ts';
import { requireActorScope } from '../../platform/actor.ts';
import { removeView, viewById, viewsOf } from '../../store/views.ts';
import { readVerb, type Verb, writeVerb } from '../verb.ts';
import { keepView, shown, viewOf, visibleView } from './write.ts';

const PATH = '/api/management/views';
const ONE = `${PATH}/{id}` as const;

/** Every member may keep views of their own; what is shared is asked for in `keepView`. */
const WRITERS = { scope: 'management', roles: ROLES } as const;

const list = readVerb({
  name: 'views.list',
  method: 'GET',
  path: PATH,
  scope: 'management',
  summary: 'List saved views by name: one’s own and those that are shared',
  query: viewQuery,
  answer: page(view),
  async run({ orgId, actor, reader }, { query: { limit, cursor, page: ofPage } }) {
    const from = cursor === undefined ? 0 : Number(/^\d{1,6}$/.exec(cursor)?.[0] ?? Number.NaN);
    if (Number.isNaN(from))
      throw new Fault('invalid_request', 'The cursor is not one that this list gave out.', {
        param: 'cursor',
      });
    const rows = await viewsOf(reader, orgId, actor.id);
    const fitting = rows.filter((row) => ofPage === undefined || row.page === ofPage);
    return {
      data: fitting.slice(from, from + limit).map((row) => viewOf(row, actor.id)),
      next_cursor: from + limit < fitting.length ? String(from + limit) : null,
    };
  },
});

const get = readVerb({
  name: 'views.get',
  method: 'GET',
  path: ONE,
  scope: 'management',
  summary: 'Read one saved view',
  params: idParams,
  answer: view,
  async run(context, { params }) {
    return viewOf(await visibleView(context.reader, context, params.id), context.actor.id);
  },
});

const create = writeVerb({
  name: 'views.create',
  method: 'POST',
  path: PATH,
  ...WRITERS,
  summary: 'Save filters of a page under a name, for oneself or for everybody',
  body: viewBody,
  answer: view,
  status: 201,
  changes: null,
  run: (context, { body }) => keepView(context, newId('viw', context.clock.now()), null, body),
});

const update = writeVerb({
  name: 'views.update',
  method: 'PATCH',
  path: ONE,
  ...WRITERS,
  summary: 'Change parts of a saved view',
  params: idParams,
  body: viewPatch,
  answer: view,
  status: 200,
  changes: null,
  async run(context, { params, body }) {
    const before = await visibleView(context.writer, context, params.id);
    const { name, page: ofPage, filters, shared } = viewOf(before, context.actor.id);
    return keepView(context, params.id, before, {
      name: body.name ?? name,
      page: body.page ?? ofPage,
      filters: body.filters ?? filters,
      shared: body.shared ?? shared,
    });
  },
});

const replace = writeVerb({
  name: 'views.replace',
  method: 'PUT',
  path: ONE,
  ...WRITERS,
  summary: 'Write a saved view under an id of one’s own choice',
  params: viewParams,
  body: viewReplacement,
  answer: view,
  status: 200,
  changes: null,
  async run(context, { params, body: { name, page: ofPage, filters, shared } }) {
    const before = (await viewById(context.writer, context.orgId, params.id)) ?? null;
    return keepView(context, params.id, before, { name, page: ofPage, filters, shared });
  },
});

const remove = writeVerb({
  name: 'views.delete',
  method: 'DELETE',
  path: ONE,
  ...WRITERS,
  summary: 'Delete a saved view',
  params: idParams,
  answer: z.null(),
  status: 204,
  changes: null,
  async run(context, { params }) {
    const before = await visibleView(context.writer, context, params.id);
    if (before.shared === 1) requireActorScope(context.actor, 'management');
    await removeView(context.writer, context.orgId, params.id);
    return { answer: null, audit: { subject: params.id, before: shown(before), after: null } };
  },
});

/** Saved views of the console's pages. */
export const VIEW_VERBS: readonly Verb[] = [list, create, get, update, replace, remove];
