import { backgroundJobResource } from '@floe/contract/api/background-jobs';
import { personErasure } from '@floe/contract/api/people';
import type { Clock } from '../../core/clock.ts';
import type { Actor } from '../../platform/actor.ts';
import { revokeMemberKeys } from '../../platform/member-keys.ts';
import { removeMemberFromOrg } from '../../platform/members.ts';
import { findMemberByEmail } from '../../store/members.ts';
import {
  deleteConsoleSessionsOfPerson,
  deleteInvitationsOfPerson,
} from '../../store/people/erase-person-account.ts';
import { addPersonRecordCount, type Person, type PersonRecordCounts } from '../../store/people/person.ts';
import { listMemberRoleGrantsOfPerson } from '../../store/people/person-account-rows.ts';
import type { DatabaseWriter } from '../../store/store-interfaces.ts';
import { toBackgroundJobResource } from '../jobs/background-job-operations.ts';
import { requireOwnerToManageOwners } from '../members/member-requirements.ts';
import { defineWriteOperation, type Operation, type SecondaryAuditedChange } from '../operation.ts';
import { runPersonErasure } from './erasure-job.ts';
import type { PeopleDependencies } from './people-dependencies.ts';
import { computePersonAuditId, resolvePerson } from './resolve-person.ts';

/**
 * Defines the operation that immediately ends a person's access and starts a background job that
 * erases their data. It can be repeated: a second call completes an interrupted erasure, and erases
 * data that was written since the first call.
 */
export function defineErasePersonOperation(dependencies: PeopleDependencies): Operation {
  return defineWriteOperation({
    name: 'people.erase',
    method: 'POST',
    path: '/api/management/people/erase',
    scope: 'management',
    roles: ['owner'],
    requiresStepUp: true,
    summary:
      'End the access of one person, and start a background job that deletes or pseudonymizes their data; the erasure cannot be undone',
    body: personErasure,
    answer: backgroundJobResource,
    status: 200,
    invalidates: 'keys',
    async run({ orgId, actor, clock, writer }, { body }) {
      dependencies.jobRunner.requireCapacity(orgId);
      const { reason, ...selector } = body;
      const person = await resolvePerson(writer, orgId, selector);
      const subject = computePersonAuditId(person);
      const counts: PersonRecordCounts = {};
      const further = await endAccess(dependencies, { writer, person, counts, actor, clock });
      return {
        audit: { subject, before: null, after: toAuditView(person), reason },
        additionalChanges: further,
        async answerAfterCommit() {
          const work = { ...dependencies, person, subject, counts, actor, clock };
          const row = await dependencies.jobRunner.start(
            { orgId, kind: 'people.erase', by: actor.id },
            (handle) => runPersonErasure(work, handle),
          );
          return toBackgroundJobResource(row, clock.now());
        },
      };
    },
  });
}

interface AccessEnd {
  readonly writer: DatabaseWriter;
  readonly person: Person;
  readonly counts: PersonRecordCounts;
  readonly actor: Actor;
  readonly clock: Clock;
}

/**
 * Removes the membership and invitations, revokes the keys and ends the sessions, in the transaction of the request.
 *
 * @throws Fault `conflict` for the last owner, `insufficient_role` for an owner if a key asks
 */
async function endAccess(
  { members }: PeopleDependencies,
  { writer, person, counts, actor, clock }: AccessEnd,
): Promise<SecondaryAuditedChange[]> {
  const { orgId, email, memberIds } = person;
  if (email === null) return [];
  const stamp = { by: actor.id, nowMs: clock.now() };
  const member = await findMemberByEmail(writer, orgId, email);
  if (member) requireOwnerToManageOwners(actor, [member.role], stamp.nowMs);
  addPersonRecordCount(counts, 'console_session', await deleteConsoleSessionsOfPerson(writer, person));
  addPersonRecordCount(counts, 'invitation', await deleteInvitationsOfPerson(writer, person));
  if (member) {
    addPersonRecordCount(counts, 'member', 1);
    addPersonRecordCount(counts, 'member_grant', (await listMemberRoleGrantsOfPerson(writer, person)).length);
  }
  const changes = member
    ? await removeMemberFromOrg(writer, member, members.endSessions, stamp)
    : await revokeMemberKeys(writer, { id: memberIds[0] ?? '', org_id: orgId, email }, stamp);
  // The audit log keeps no address that an erasure would have to remove.
  return changes.map((change) => ({
    ...change,
    before: { ...change.before, owner: null },
    after: { ...change.after, owner: null },
  }));
}

function toAuditView({ endUser, userId }: Person) {
  return { selected_by: endUser === null ? 'member' : 'end_user', user_id: userId };
}
