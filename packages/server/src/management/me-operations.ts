import {
  mePatch,
  meResource,
  type meResource as meSchema,
  type OperationPermission,
} from '@floe/contract/api/me';
import { Fault } from '@floe/contract/faults';
import { MEMBER_ROLES } from '@floe/contract/roles';
import type * as z from 'zod';
import type { Actor, SignedInMember } from '../platform/actor.ts';
import { listSessionMemberships } from '../platform/sign-in/session-memberships.ts';
import { toPlatformKeyResource } from '../platform/stored-platform-key.ts';
import { listMembershipsWithRoles } from '../store/console-sessions.ts';
import { findUserById, type UserRow, updateUser } from '../store/members.ts';
import { findOrgById } from '../store/orgs.ts';
import { findPlatformKeyById } from '../store/platform-keys.ts';
import type { DatabaseReader } from '../store/store-interfaces.ts';
import { getOperationPermission } from './access.ts';
import {
  defineReadOperation,
  defineWriteOperation,
  type Operation,
  type OperationContext,
} from './operation.ts';

type MeResource = z.input<typeof meSchema>;

/**
 * Returns the operations on the signed-in caller's own account.
 *
 * @param listOperations returns all operations of the API, once the list is complete
 */
export function defineMeOperations(listOperations: () => readonly Operation[]): readonly Operation[] {
  const listPermissions = (actor: Actor, nowMs: number): Record<string, OperationPermission> =>
    Object.fromEntries(
      listOperations().map((operation) => [operation.name, getOperationPermission(operation, actor, nowMs)]),
    );
  return [getMeOperation(listPermissions), updateMeOperation(listPermissions)];
}

type ListPermissions = (actor: Actor, nowMs: number) => Record<string, OperationPermission>;

function getMeOperation(listPermissions: ListPermissions): Operation {
  return defineReadOperation({
    name: 'me.get',
    method: 'GET',
    path: '/api/me',
    scope: null,
    summary: 'Read the identity and permissions of the caller',
    answer: meResource,
    async run(context) {
      const { actor, orgId, clock, reader } = context;
      if (actor.member) return buildMemberMe(context, reader, actor.member, listPermissions);
      const row = await findPlatformKeyById(reader, orgId, actor.id);
      if (!row)
        throw new Fault('not_found', 'The platform key of this request no longer exists. Use another key.');
      return {
        kind: 'platform_key' as const,
        org: await loadOrgSummary(reader, orgId),
        key: toPlatformKeyResource(row, clock.now()),
        can: listPermissions(actor, clock.now()),
      };
    },
  });
}

function updateMeOperation(listPermissions: ListPermissions): Operation {
  return defineWriteOperation({
    name: 'me.update',
    method: 'PATCH',
    path: '/api/me',
    scope: null,
    roles: MEMBER_ROLES,
    allowsPlatformKeys: false,
    summary: 'Change your name or console preferences',
    body: mePatch,
    answer: meResource,
    status: 200,
    invalidates: null,
    async run(context, { body }) {
      const { actor, clock, writer } = context;
      const { member } = actor;
      if (!member)
        throw new Fault(
          'insufficient_role',
          'Only members have a name and preferences. Sign in to change them.',
        );
      const user = await requireUser(writer, member.userId);
      await updateUser(writer, user.id, {
        ...(body.name !== undefined && { name: body.name }),
        ...(body.preferences !== undefined && { preferences_json: JSON.stringify(body.preferences) }),
        updated_at: clock.now(),
      });
      const answer = await buildMemberMe(context, writer, member, listPermissions);
      // Console preferences are private and change often, so the audit log does not record them.
      const renamed = body.name !== undefined && body.name !== user.name;
      const shown = (name: string) => ({ id: user.id, email: user.email, name });
      return {
        answer,
        audit: renamed
          ? { subject: user.id, before: shown(user.name), after: shown(body.name ?? '') }
          : 'unchanged',
      };
    },
  });
}

async function buildMemberMe(
  { actor, orgId, clock }: OperationContext,
  reader: DatabaseReader,
  { id, userId, role, team, issuer, isOperator }: SignedInMember,
  listPermissions: ListPermissions,
): Promise<MeResource> {
  const user = await requireUser(reader, userId);
  return {
    kind: 'member' as const,
    org: await loadOrgSummary(reader, orgId),
    member: { id, user_id: userId, email: user.email, name: user.name, role, team },
    orgs: await listOrgsOfUser(reader, userId, issuer),
    operator: isOperator,
    preferences: user.preferences_json === null ? {} : JSON.parse(user.preferences_json),
    can: listPermissions(actor, clock.now()),
  };
}

async function listOrgsOfUser(reader: DatabaseReader, userId: string, issuer: string | null) {
  const standings = listSessionMemberships(await listMembershipsWithRoles(reader, userId, issuer), issuer);
  return standings.map(({ memberId, org, role }) => ({ ...org, role, member_id: memberId }));
}

async function requireUser(reader: DatabaseReader, id: string): Promise<UserRow> {
  const user = await findUserById(reader, id);
  if (!user)
    throw new Fault(
      'not_found',
      'The account that you are signed in with no longer exists. Sign in with another account.',
    );
  return user;
}

async function loadOrgSummary(reader: DatabaseReader, id: string) {
  const found = await findOrgById(reader, id);
  if (!found)
    throw new Fault(
      'not_found',
      'The organization of your session or key was deleted. Sign in again, or use a key of another organization.',
    );
  return { id: found.id, name: found.name };
}
