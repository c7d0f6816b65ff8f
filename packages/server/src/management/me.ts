import { me } from '@floe/contract/api/me';
import { Fault } from '@floe/contract/faults';
import { platformKeyOf } from '../platform/stored-key.ts';
import { orgById } from '../store/orgs.ts';
import { keyById } from '../store/platform-keys.ts';
import { readVerb } from './verb.ts';

export const getMe = readVerb({
  name: 'me.get',
  method: 'GET',
  path: '/api/me',
  scope: null,
  summary: 'Tell who asks',
  answer: me,
  async run({ orgId, actor, clock, reader }) {
    const found = await orgById(reader, orgId);
    if (!found) throw new Fault('not_found', 'The org of who asks is gone.');
    const org = { id: found.id, name: found.name };
    if (actor.member) {
      const { id, email, role, team } = actor.member;
      return { kind: 'member' as const, org, member: { id, email, role, team } };
    }
    const row = await keyById(reader, orgId, actor.id);
    if (!row) throw new Fault('not_found', 'The key that asks is gone.');
    return { kind: 'platform_key' as const, org, key: platformKeyOf(row, clock.now()) };
  },
});
