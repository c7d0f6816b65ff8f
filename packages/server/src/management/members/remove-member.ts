import { idParams } from '@floe/contract/api/page';
import * as z from 'zod';
import { removeFromOrg } from '../../platform/members.ts';
import { memberView } from '../../platform/stored-member.ts';
import { type Verb, writeVerb } from '../verb.ts';
import { existingMember, requireOwnerFor } from './find-member.ts';
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
      const further = await removeFromOrg(writer, row, people.endSessions, { by: actor.id, nowMs: now });
      return { answer: null, audit: { subject: row.id, before: memberView(row), after: null }, further };
    },
  });
}
