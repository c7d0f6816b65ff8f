import { idParams } from '@floe/contract/api/page';
import * as z from 'zod';
import { revokeOwnKeys } from '../../platform/own-keys.ts';
import { memberView } from '../../platform/stored-member.ts';
import { deleteGrants, insertRemoval } from '../../store/grants.ts';
import { deleteMember } from '../../store/members.ts';
import { type Verb, writeVerb } from '../verb.ts';
import { existingMember, requireAnotherOwner, requireOwnerFor } from './find.ts';
import type { PeopleHost } from './people-host.ts';

export function removeMember(people: PeopleHost): Verb {
  return writeVerb({
    name: 'members.remove',
    method: 'DELETE',
    path: '/api/management/members/{id}',
    scope: 'management',
    summary:
      'Remove a member; their sessions end, their keys are revoked, and groups do not add them again until the removal is undone',
    params: idParams,
    answer: z.null(),
    status: 204,
    changes: 'keys',
    async run({ orgId, actor, clock, writer }, { params }) {
      const row = await existingMember(writer, orgId, params.id);
      const now = clock.now();
      requireOwnerFor(actor, [row.role], now);
      await requireAnotherOwner(writer, row);
      const further = await revokeOwnKeys(writer, row, { by: actor.id, nowMs: now });
      for (const end of people.endSessions)
        await end(writer, { orgId, memberId: row.id, userId: row.user_id });
      await deleteGrants(writer, orgId, row.user_id);
      await deleteMember(writer, orgId, row.id);
      const removal = { org_id: orgId, user_id: row.user_id, removed_at: now, removed_by: actor.id };
      await insertRemoval(writer, removal);
      return { answer: null, audit: { subject: row.id, before: memberView(row), after: null }, further };
    },
  });
}
