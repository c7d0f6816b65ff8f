import {
  type SavedViewResource,
  savedViewCreation,
  savedViewFieldsStoredAsIs,
  savedViewListQuery,
  savedViewParams,
  savedViewPatch,
  savedViewReplacement,
  savedViewResource,
} from '@floe/contract/api/saved-views';
import { MEMBER_ROLES } from '@floe/contract/roles';
import type * as z from 'zod';
import { createId } from '../../core/ids.ts';
import { requireActorScope } from '../../platform/actor.ts';
import {
  deleteSavedView,
  findSavedViewById,
  getSavedViewPage,
  type SavedViewRow,
  upsertSavedView,
} from '../../store/saved-views.ts';
import { hasColumnValues } from './has-column-values.ts';
import type { ResourceKind } from './resource-kind.ts';

const VIEW_SCHEMAS = {
  answer: savedViewResource,
  list: savedViewListQuery,
  creation: savedViewCreation,
  change: savedViewPatch,
  replacement: savedViewReplacement,
  replaceParams: savedViewParams,
};

type SavedViewConfig = ReturnType<typeof toSavedViewConfig>;

/**
 * The resource kind of saved views of console pages. Every member may write their own views. A view
 * that is or was shared belongs to the organization, and changing it requires the scope
 * `management`.
 */
export const SAVED_VIEW_RESOURCE_KIND: ResourceKind<
  SavedViewRow,
  SavedViewConfig,
  SavedViewResource,
  typeof VIEW_SCHEMAS
> = {
  kind: 'views',
  path: '/api/management/views',
  scope: 'management',
  roles: MEMBER_ROLES,
  summaries: {
    list: 'List your own and shared saved views, sorted by name',
    create: 'Save the filters of a page as a view, private or shared',
    get: 'Read one saved view',
    update: 'Change a saved view',
    replace: 'Create or replace a saved view by its id',
    delete: 'Remove a saved view',
  },
  schemas: VIEW_SCHEMAS,
  notFoundMessage: 'No saved view has this id.',
  find: findSavedViewById,
  canRead: (row, actor) => row.shared === 1 || row.owner === actor.id,
  getPage: ({ reader, orgId, actor }, query) =>
    getSavedViewPage(reader, { ...query, orgId, owner: actor.id }),
  toResource: (row, { actor }) => toSavedViewResource(row, actor.id),
  toAuditView: ({ shared, filters }, row) => ({ ...savedViewFieldsStoredAsIs.parse(row), shared, filters }),
  requireChangeable(row, actor) {
    if (row.shared === 1) requireActorScope(actor, 'management');
  },
  configFromCreation: ({ clock }, { body }) => toSavedViewConfig(createId('viw', clock.now()), body),
  configFromPatch: (_, row, { body }) =>
    toSavedViewConfig(row.id, { ...toSavedViewResource(row, null), ...body }),
  configFromReplacement: (_, __, id, { body }) => toSavedViewConfig(id, body),
  async insert({ orgId, actor, clock, writer }, config) {
    if (config.shared === 1) requireActorScope(actor, 'management');
    const now = clock.now();
    const stamps = { created_at: now, updated_at: now, updated_by: actor.id };
    const row: SavedViewRow = { ...config, org_id: orgId, owner: actor.id, ...stamps };
    await upsertSavedView(writer, row);
    return row;
  },
  async update({ actor, clock, writer }, row, config) {
    if (config.shared === 1) requireActorScope(actor, 'management');
    if (hasColumnValues(row, config)) return null;
    const next = { ...row, ...config, updated_at: clock.now(), updated_by: actor.id };
    await upsertSavedView(writer, next);
    return next;
  },
  remove: ({ orgId, writer }, { id }) => deleteSavedView(writer, orgId, id),
};

function toSavedViewConfig(
  id: string,
  { filters = {}, shared = false, ...plain }: z.output<typeof savedViewPatch>,
) {
  return {
    id,
    ...savedViewFieldsStoredAsIs.parse(plain),
    filters_json: JSON.stringify(filters),
    shared: shared ? 1 : 0,
  };
}

/** Converts a view to the API format for this caller. */
function toSavedViewResource(row: SavedViewRow, callerId: string | null): SavedViewResource {
  return {
    id: row.id,
    ...savedViewFieldsStoredAsIs.parse(row),
    filters: JSON.parse(row.filters_json),
    shared: row.shared === 1,
    own: row.owner === callerId,
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
    updated_by: row.updated_by,
  };
}
