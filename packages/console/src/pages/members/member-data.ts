import type {
  createdInvitation,
  Invitation,
  invitationCreation,
  Member,
  memberChange,
} from '@floe/contract/api/members';
import type { operator } from '@floe/contract/api/operators';
import type { Team, teamChange, teamCreation } from '@floe/contract/api/teams';
import { queryOptions } from '@tanstack/react-query';
import type * as z from 'zod';
import { allPages, send } from '../../data/api-client.ts';
import type { Key } from '../keys/key-data.ts';

export type Operator = z.output<typeof operator>;
export type CreatedInvitation = z.output<typeof createdInvitation>;

/** What a change of people makes stale: keys go with their members. */
export const PEOPLE_TOUCHES = [['members'], ['invitations'], ['teams'], ['keys'], ['audit']] as const;

export const membersQuery = queryOptions({
  queryKey: ['members'],
  queryFn: ({ signal }) => allPages<Member>('api/management/members', {}, signal),
});

/** Invitations nobody took yet. */
export const invitationsQuery = queryOptions({
  queryKey: ['invitations'],
  queryFn: ({ signal }) => allPages<Invitation>('api/management/invitations', { status: 'pending' }, signal),
});

export const teamsQuery = queryOptions({
  queryKey: ['teams'],
  queryFn: ({ signal }) => allPages<Team>('api/management/teams', {}, signal),
});

/** Keys that name a member as their owner: what ends with them. */
export function ownedKeysQuery(email: string) {
  return queryOptions({
    queryKey: ['keys', 'of', email],
    queryFn: ({ signal }) => allPages<Key>('api/management/keys', { owner: email }, signal),
  });
}

export function invite(invitation: z.input<typeof invitationCreation>): Promise<CreatedInvitation> {
  return send('POST', 'api/management/invitations', invitation);
}

export function revokeInvitation(id: string): Promise<unknown> {
  return send('DELETE', `api/management/invitations/${encodeURIComponent(id)}`);
}

export function changeMember(id: string, change: z.input<typeof memberChange>): Promise<Member> {
  return send('PATCH', `api/management/members/${encodeURIComponent(id)}`, change);
}

export function removeMember(id: string): Promise<unknown> {
  return send('DELETE', `api/management/members/${encodeURIComponent(id)}`);
}

/** People who may change what affects every organization. */
export const operatorsQuery = queryOptions({
  queryKey: ['operators'],
  queryFn: ({ signal }) => allPages<Operator>('api/management/operators', {}, signal),
});

export function grantOperator(email: string): Promise<Operator> {
  return send('POST', 'api/management/operators', { email });
}

export function revokeOperator(userId: string): Promise<unknown> {
  return send('DELETE', `api/management/operators/${encodeURIComponent(userId)}`);
}

export function createTeam(team: z.input<typeof teamCreation>): Promise<Team> {
  return send('POST', 'api/management/teams', team);
}

export function changeTeam(id: string, change: z.input<typeof teamChange>): Promise<Team> {
  return send('PATCH', `api/management/teams/${encodeURIComponent(id)}`, change);
}

export function removeTeam(id: string): Promise<unknown> {
  return send('DELETE', `api/management/teams/${encodeURIComponent(id)}`);
}
