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
import { type IdempotencyKeys, sendJson } from '../../data/api-client.ts';
import { deleteResource } from '../../data/delete-resource.ts';
import { fetchAllRows } from '../../data/fetch-all-rows.ts';
import type { KeyResource } from '../keys/key-data.ts';

/** An operator of the installation. */
export type Operator = z.output<typeof operatorResource>;
/** A new invitation with its link, which the API returns only once. */
export type CreatedInvitation = z.output<typeof createdInvitation>;

/** The query keys to invalidate after a change to members, invitations or teams. */
export const MEMBER_QUERY_KEYS = [['members'], ['invitations'], ['teams'], ['keys'], ['audit']] as const;

/** The query for the members of the organization. */
export const membersQuery = queryOptions({
  queryKey: ['members'],
  queryFn: ({ signal }) => fetchAllRows<Member>('api/management/members', {}, signal),
});

/** The query for the pending invitations. */
export const invitationsQuery = queryOptions({
  queryKey: ['invitations'],
  queryFn: ({ signal }) =>
    fetchAllRows<InvitationResource>('api/management/invitations', { status: 'pending' }, signal),
});

/** The query for the teams of the organization. */
export const teamsQuery = queryOptions({
  queryKey: ['teams'],
  queryFn: ({ signal }) => fetchAllRows<Team>('api/management/teams', {}, signal),
});

/** Returns the query for the keys that a member owns. Removing the member revokes these keys. */
export function buildOwnedKeysQuery(email: string) {
  return queryOptions({
    queryKey: ['keys', 'of', email],
    queryFn: ({ signal }) => fetchAllRows<KeyResource>('api/management/keys', { owner: email }, signal),
  });
}

/** Creates an invitation. */
export function inviteMember(
  invitation: z.input<typeof invitationCreation>,
  keys: IdempotencyKeys,
): Promise<CreatedInvitation> {
  return sendJson('POST', 'api/management/invitations', invitation, { keys });
}

/** Revokes an invitation, so that its link no longer works. */
export function revokeInvitation(id: string): Promise<void> {
  return deleteResource(`api/management/invitations/${encodeURIComponent(id)}`);
}

/** Changes the role or the team of a member. */
export function changeMember(id: string, change: z.input<typeof memberPatch>): Promise<Member> {
  return sendJson('PATCH', `api/management/members/${encodeURIComponent(id)}`, change);
}

/** Removes a member from the organization and revokes the keys that the member owns. */
export function removeMember(id: string): Promise<void> {
  return deleteResource(`api/management/members/${encodeURIComponent(id)}`);
}

/** The query for the operators of the installation. */
export const operatorsQuery = queryOptions({
  queryKey: ['operators'],
  queryFn: ({ signal }) => fetchAllRows<Operator>('api/management/operators', {}, signal),
});

/** Makes the person with this email address an operator of the installation. */
export function addOperator(email: string, keys: IdempotencyKeys): Promise<Operator> {
  return sendJson('POST', 'api/management/operators', { email }, { keys });
}

/** Removes a person from the operators of the installation. */
export function removeOperator(userId: string): Promise<void> {
  return deleteResource(`api/management/operators/${encodeURIComponent(userId)}`);
}

/** Creates a team. */
export function createTeam(team: z.input<typeof teamCreation>, keys: IdempotencyKeys): Promise<Team> {
  return sendJson('POST', 'api/management/teams', team, { keys });
}

/** Changes the name or the cost center of a team. */
export function changeTeam(id: string, change: z.input<typeof teamPatch>): Promise<Team> {
  return sendJson('PATCH', `api/management/teams/${encodeURIComponent(id)}`, change);
}

/** Removes a team. */
export function removeTeam(id: string): Promise<void> {
  return deleteResource(`api/management/teams/${encodeURIComponent(id)}`);
}
