import type {
  createdInvitation,
  InvitationResource,
  invitationCreation,
  Member,
  memberPatch,
} from '@floe/contract/api/members';
import type { operatorResource } from '@floe/contract/api/operators';
import type { Team, teamCreation, teamPatch } from '@floe/contract/api/teams';
import { queryOptions } from '@tanstack/react-query';
import type * as z from 'zod';
import { allPages, sendJson } from '../../data/api-client.ts';
import type { KeyResource } from '../keys/key-data.ts';

export type Operator = z.output<typeof operatorResource>;
export type CreatedInvitation = z.output<typeof createdInvitation>;

/** Query keys that a change of members, invitations or teams makes stale. */
export const MEMBER_QUERY_KEYS = [['members'], ['invitations'], ['teams'], ['keys'], ['audit']] as const;

export const membersQuery = queryOptions({
  queryKey: ['members'],
  queryFn: ({ signal }) => allPages<Member>('api/management/members', {}, signal),
});

/** The query for the pending invitations. */
export const invitationsQuery = queryOptions({
  queryKey: ['invitations'],
  queryFn: ({ signal }) =>
    allPages<InvitationResource>('api/management/invitations', { status: 'pending' }, signal),
});

export const teamsQuery = queryOptions({
  queryKey: ['teams'],
  queryFn: ({ signal }) => allPages<Team>('api/management/teams', {}, signal),
});

/** Returns the query for the keys that a member owns. Removing the member revokes them. */
export function ownedKeysQuery(email: string) {
  return queryOptions({
    queryKey: ['keys', 'of', email],
    queryFn: ({ signal }) => allPages<KeyResource>('api/management/keys', { owner: email }, signal),
  });
}

export function inviteMember(invitation: z.input<typeof invitationCreation>): Promise<CreatedInvitation> {
  return sendJson('POST', 'api/management/invitations', invitation);
}

export function revokeInvitation(id: string): Promise<unknown> {
  return sendJson('DELETE', `api/management/invitations/${encodeURIComponent(id)}`);
}

export function changeMember(id: string, change: z.input<typeof memberPatch>): Promise<Member> {
  return sendJson('PATCH', `api/management/members/${encodeURIComponent(id)}`, change);
}

export function removeMember(id: string): Promise<unknown> {
  return sendJson('DELETE', `api/management/members/${encodeURIComponent(id)}`);
}

/** The query for the operators of the installation. */
export const operatorsQuery = queryOptions({
  queryKey: ['operators'],
  queryFn: ({ signal }) => allPages<Operator>('api/management/operators', {}, signal),
});

export function grantOperatorRole(email: string): Promise<Operator> {
  return sendJson('POST', 'api/management/operators', { email });
}

export function revokeOperator(userId: string): Promise<unknown> {
  return sendJson('DELETE', `api/management/operators/${encodeURIComponent(userId)}`);
}

export function createTeam(team: z.input<typeof teamCreation>): Promise<Team> {
  return sendJson('POST', 'api/management/teams', team);
}

export function changeTeam(id: string, change: z.input<typeof teamPatch>): Promise<Team> {
  return sendJson('PATCH', `api/management/teams/${encodeURIComponent(id)}`, change);
}

export function removeTeam(id: string): Promise<unknown> {
  return sendJson('DELETE', `api/management/teams/${encodeURIComponent(id)}`);
}
