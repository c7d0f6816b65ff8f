import { member, memberChange } from '@floe/contract/api/members';
import { idParams } from '@floe/contract/api/page';
import { narrowOwnKeys } from '../../platform/own-keys.ts';
import { memberView } from '../../platform/stored-member.ts';
import { deleteGrants } from '../../store/grants.ts';
import { changeMember } from '../../store/members.ts';
import { writeVerb } from '../verb.ts';
import { existingMember, requireAnotherOwner, requireOwnerFor, requireTeam } from './find.ts';

export const updateMember = writeVerb({
  name: 'members.update',
  method: 'PATCH',
  path: '/api/management/members/{id}',
  scope: 'management',
  summary: 'Change the role or the team of a member; their keys lose what the role cannot give',
  params: idParams,
  body: memberChange,
  answer: member,
  status: 200,
  changes: 'keys',
  async run({ orgId, actor, clock, writer }, { params, body }) {
    const row = await existingMember(writer, orgId, params.id);
    const now = clock.now();
    const { role = row.role, team = row.team } = body;
    if (role === row.role && team === row.team) return { answer: memberView(row), audit: 'unchanged' };
    requireOwnerFor(actor, [row.role, role], now);
    if (role !== 'owner') await requireAnotherOwner(writer, row);
    if (team !== row.team) await requireTeam(writer, orgId, team);
    const columns = {
      role,
      team,
      // What somebody decides here is not taken back by a group at the next sign-in.
      ...(role !== row.role && { source: 'console' }),
      updated_at: now,
      updated_by: actor.id,
    };
    await changeMember(writer, orgId, row.id, columns);
    if (role !== row.role) await deleteGrants(writer, orgId, row.user_id);
    const after = memberView({ ...row, ...columns });
    const further =
      role === row.role ? [] : await narrowOwnKeys(writer, row, after.role, { by: actor.id, nowMs: now });
    return { answer: after, audit: { subject: row.id, before: memberView(row), after }, further };
  },
});
