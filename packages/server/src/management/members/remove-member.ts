import { idParams } from '@floe/contract/api/page';
import * as z from 'zod';
import { removeMemberFromOrg } from '../../platform/members.ts';
import { toMemberResource } from '../../platform/stored-member.ts';
import { defineWriteOperation, type Operation } from '../operation.ts';
import type { MemberDependencies } from './member-dependencies.ts';
import { requireOrgMember, requireOwnerToManageOwners } from './member-requirements.ts';

/** Defines the operation that removes a member (`DELETE /api/management/members/{id}`). */
export function defineRemoveMemberOperation(dependencies: MemberDependencies): Operation {
  return defineWriteOperation({
    name: 'members.remove',
    method: 'DELETE',
    path: '/api/management/members/{id}',
    scope: 'management',
    summary:
      'Remove a member, end their sessions, revoke their keys, and prevent group mappings from adding them again until the removal is undone',
    params: idParams,
    answer: z.null(),
    status: 204,
    invalidates: 'keys',
    async run({ orgId, actor, clock, writer }, { params }) {
      const row = await requireOrgMember(writer, orgId, params.id);
      const now = clock.now();
      requireOwnerToManageOwners(actor, [row.role], now);
      const further = await removeMemberFromOrg(writer, row, dependencies.endSessions, {
        by: actor.id,
        nowMs: now,
      });
      return {
        answer: null,
        audit: { subject: row.id, before: toMemberResource(row), after: null },
        additionalChanges: further,
      };
    },
  });
}
