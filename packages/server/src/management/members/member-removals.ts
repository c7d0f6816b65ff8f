import { removalList } from '@floe/contract/api/operators';
import { idParams, listQuery } from '@floe/contract/api/page';
import { Fault } from '@floe/contract/faults';
import * as z from 'zod';
import { deleteRemoval, type RemovalWithUser, removalsOf } from '../../store/grants.ts';
import { type ListPlace, listPage } from '../list-page.ts';
import { readVerb, writeVerb } from '../verb.ts';

export const listRemovals = readVerb({
  name: 'removals.list',
  method: 'GET',
  path: '/api/management/removals',
  scope: 'management',
  summary: 'List people who were removed and whom groups do not add again, newest first',
  answer: removalList,
  query: listQuery(),
  run: async ({ orgId, reader }, { query }) =>
    listPage((await removalsOf(reader, orgId)).map(viewOf), placeOf, query),
});

export const undoRemoval = writeVerb({
  name: 'removals.undo',
  method: 'DELETE',
  path: '/api/management/removals/{id}',
  scope: 'management',
  summary: 'Undo the removal of somebody, by their user id: groups may add them again',
  params: idParams,
  answer: z.null(),
  status: 204,
  changes: null,
  async run({ orgId, writer }, { params }) {
    const row = (await removalsOf(writer, orgId)).find(({ user_id }) => user_id === params.id);
    if (!row) throw new Fault('not_found', 'Nobody with this user id was removed.');
    await deleteRemoval(writer, orgId, row.user_id);
    return { answer: null, audit: { subject: row.user_id, before: viewOf(row), after: null } };
  },
});

function viewOf({ user_id, email, name, removed_at, removed_by }: RemovalWithUser) {
  return { user_id, email, name, removed_at: new Date(removed_at).toISOString(), removed_by };
}

function placeOf({ user_id: id, name, removed_at }: ReturnType<typeof viewOf>): ListPlace {
  return { id, name, at: Date.parse(removed_at) };
}
