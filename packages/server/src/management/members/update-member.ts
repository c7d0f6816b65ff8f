import { memberPatch, memberResource } from '@floe/contract/api/members';
import { idParams } from '@floe/contract/api/page';
import { parseMemberRole } from '@floe/contract/roles';
import { changeMemberRoleAndTeam } from '../../platform/members.ts';
import { toMemberResource } from '../../platform/stored-member.ts';
import { defineWriteOperation } from '../operation.ts';
import {
  requireOrgMember,
  requireOwnerToManageOwners,
  requireStepUpToGrantRole,
  requireTeamExists,
} from './member-requirements.ts';

/** The operation that changes a member's role or team (`PATCH /api/management/members/{id}`). */
export const updateMemberOperation = defineWriteOperation({
  name: 'members.update',
  method: 'PATCH',
  path: '/api/management/members/{id}',
  scope: 'management',
  summary:
    'Change the role or team of a member; their keys lose scopes that the role does not allow, and keys without any scope left are revoked',
  params: idParams,
  body: memberPatch,
  answer: memberResource,
  status: 200,
  invalidates: 'keys',
  async run({ orgId, actor, clock, writer }, { params, body }) {
    const row = await requireOrgMember(writer, orgId, params.id);
    const now = clock.now();
    const { role = parseMemberRole(row.role), team = row.team } = body;
    if (role === row.role && team === row.team) return { answer: toMemberResource(row), audit: 'unchanged' };
    requireOwnerToManageOwners(actor, [row.role, role], now);
    if (role !== row.role) requireStepUpToGrantRole(actor, role, now);
    if (team !== row.team) await requireTeamExists(writer, orgId, team);
    const edit = { by: actor.id, nowMs: now };
    const { row: updated, keys: further } = await changeMemberRoleAndTeam(writer, row, { role, team }, edit);
    const after = toMemberResource(updated);
    return {
      answer: after,
      audit: { subject: row.id, before: toMemberResource(row), after },
      additionalChanges: further,
    };
  },
});
