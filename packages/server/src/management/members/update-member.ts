import { member, memberChange } from '@floe/contract/api/members';
import { idParams } from '@floe/contract/api/page';
import { roleOf } from '@floe/contract/roles';
import { placeMember } from '../../platform/members.ts';
import { memberView } from '../../platform/stored-member.ts';
import { writeVerb } from '../verb.ts';
import { existingMember, requireOwnerFor, requireTeam } from './find-member.ts';

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
    const { role = roleOf(row.role), team = row.team } = body;
    if (role === row.role && team === row.team) return { answer: memberView(row), audit: 'unchanged' };
    requireOwnerFor(actor, [row.role, role], now);
    if (team !== row.team) await requireTeam(writer, orgId, team);
    const edit = { by: actor.id, nowMs: now };
    const { row: placed, keys: further } = await placeMember(writer, row, { role, team }, edit);
    const after = memberView(placed);
    return { answer: after, audit: { subject: row.id, before: memberView(row), after }, further };
  },
});
