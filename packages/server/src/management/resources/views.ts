import {
  type View,
  view,
  viewBody,
  viewParams,
  viewPatch,
  viewQuery,
  viewReplacement,
  viewStored,
} from '@floe/contract/api/views';
import { Fault } from '@floe/contract/faults';
import { ROLES } from '@floe/contract/roles';
import type * as z from 'zod';
import { newId } from '../../core/ids.ts';
import { requireActorScope } from '../../platform/actor.ts';
import { countViews, putView, removeView, type ViewRow, viewById, viewPage } from '../../store/views.ts';
import { isStored } from './is-stored.ts';
import type { ResourceKind } from './resource-kind.ts';

const MOST_OF_ORG = 1_000;

const SHAPES = {
  answer: view,
  list: viewQuery,
  creation: viewBody,
  change: viewPatch,
  replacement: viewReplacement,
  replaceParams: viewParams,
};

type Config = ReturnType<typeof configOf>;

/**
 * Saved views of the console's pages. Every member may keep views of their own; one that is shared, or was, belongs to everybody and needs
 * the scope `management`.
 */
export const VIEWS: ResourceKind<ViewRow, Config, View, typeof SHAPES> = {
  kind: 'views',
  path: '/api/management/views',
  scope: 'management',
  roles: ROLES,
  summaries: {
    list: 'List saved views by name: one’s own and those that are shared',
    create: 'Save filters of a page under a name, for oneself or for everybody',
    get: 'Read one saved view',
    update: 'Change parts of a saved view',
    replace: 'Write a saved view under an id of one’s own choice',
    delete: 'Delete a saved view',
  },
  shapes: SHAPES,
  unknown: 'No view has this id.',
  find: viewById,
  mayRead: (row, actor) => row.shared === 1 || row.owner === actor.id,
  page: ({ reader, orgId, actor }, query) => viewPage(reader, { ...query, orgId, owner: actor.id }),
  view: (row, { actor }) => viewOf(row, actor.id),
  shown: ({ shared, filters }, row) => ({ ...viewStored.parse(row), shared, filters }),
  mustBeChangeable(row, actor) {
    if (row.shared === 1) requireActorScope(actor, 'management');
  },
  created: ({ clock }, { body }) => configOf(newId('viw', clock.now()), body),
  changed: (_, row, { body }) => configOf(row.id, { ...viewOf(row, null), ...body }),
  replaced: (_, __, id, { body }) => configOf(id, body),
  async insert({ orgId, actor, clock, writer }, config) {
    if (config.shared === 1) requireActorScope(actor, 'management');
    if ((await countViews(writer, orgId)) >= MOST_OF_ORG)
      throw new Fault('conflict', `An organization keeps ${MOST_OF_ORG} views; delete one.`);
    const now = clock.now();
    const stamps = { created_at: now, updated_at: now, updated_by: actor.id };
    const row: ViewRow = { ...config, org_id: orgId, owner: actor.id, ...stamps };
    await putView(writer, row);
    return row;
  },
  async update({ actor, clock, writer }, row, config) {
    if (config.shared === 1) requireActorScope(actor, 'management');
    if (isStored(row, config)) return null;
    const next = { ...row, ...config, updated_at: clock.now(), updated_by: actor.id };
    await putView(writer, next);
    return next;
  },
  remove: ({ orgId, writer }, { id }) => removeView(writer, orgId, id),
};

function configOf(id: string, { filters = {}, shared = false, ...plain }: z.output<typeof viewPatch>) {
  return { id, ...viewStored.parse(plain), filters_json: JSON.stringify(filters), shared: shared ? 1 : 0 };
}

/** A view as the one who asks sees it. */
function viewOf(row: ViewRow, asking: string | null): View {
  return {
    id: row.id,
    ...viewStored.parse(row),
    filters: JSON.parse(row.filters_json),
    shared: row.shared === 1,
    own: row.owner === asking,
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
    updated_by: row.updated_by,
  };
}
