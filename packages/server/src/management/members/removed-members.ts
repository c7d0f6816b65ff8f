import { removedMemberList } from '@floe/contract/api/operators';
import { createListQuerySchema, idParams } from '@floe/contract/api/page';
import { Fault } from '@floe/contract/faults';
import * as z from 'zod';
import {
  listMemberRemovals,
  type MemberRemovalWithUser,
  undoMemberRemoval,
} from '../../store/member-role-grants.ts';
import { type ListItemSortAndSearchFields, paginateListForResponse } from '../list-page.ts';
import { defineReadOperation, defineWriteOperation } from '../operation.ts';

/**
 * The operation that lists the people who were removed from the organization (`GET
 * /api/management/removed-members`).
 */
export const listRemovedMembersOperation = defineReadOperation({
  name: 'removed_members.list',
  method: 'GET',
  path: '/api/management/removed-members',
  scope: 'management',
  summary: 'List removed members, newest first; a sign-in with OpenID Connect does not add them again',
  answer: removedMemberList,
  query: createListQuerySchema(),
  run: async ({ orgId, reader }, { query }) =>
    paginateListForResponse(
      (await listMemberRemovals(reader, orgId)).map(toRemovalResource),
      removalSortFields,
      query,
    ),
});

/**
 * The operation that allows group mappings to add a removed person again (`DELETE
 * /api/management/removed-members/{id}`).
 */
export const unblockRemovedMemberOperation = defineWriteOperation({
  name: 'removed_members.restore',
  method: 'DELETE',
  path: '/api/management/removed-members/{id}',
  scope: 'management',
  summary: 'Allow group mappings to add a removed member again; `id` is the user id of the member',
  params: idParams,
  answer: z.null(),
  status: 204,
  invalidates: null,
  async run({ orgId, writer }, { params }) {
    const row = (await listMemberRemovals(writer, orgId)).find(({ user_id }) => user_id === params.id);
    if (!row) throw new Fault('not_found', 'No removed member has this user id.');
    await undoMemberRemoval(writer, orgId, row.user_id);
    return { answer: null, audit: { subject: row.user_id, before: toRemovalResource(row), after: null } };
  },
});

function toRemovalResource({ user_id, email, name, removed_at, removed_by }: MemberRemovalWithUser) {
  return { user_id, email, name, removed_at: new Date(removed_at).toISOString(), removed_by };
}

function removalSortFields({
  user_id: id,
  name,
  removed_at,
}: ReturnType<typeof toRemovalResource>): ListItemSortAndSearchFields {
  return { id, name, createdAt: Date.parse(removed_at) };
}
