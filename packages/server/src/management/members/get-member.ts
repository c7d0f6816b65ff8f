import { member } from '@floe/contract/api/members';
import { idParams } from '@floe/contract/api/page';
import { memberView } from '../../platform/stored-member.ts';
import { readVerb } from '../verb.ts';
import { existingMember } from './find-member.ts';

export const getMember = readVerb({
  name: 'members.get',
  method: 'GET',
  path: '/api/management/members/{id}',
  scope: 'management',
  summary: 'Read one member',
  params: idParams,
  answer: member,
  run: async ({ orgId, reader }, { params }) => memberView(await existingMember(reader, orgId, params.id)),
});
