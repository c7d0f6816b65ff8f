import { MEMBER_ROLES, type MemberRole } from '@floe/contract/roles';
import { createId } from '../../core/ids.ts';
import type { RouteExpectation } from './monitoring-routes.ts';
import { ROUTE_MEMBER_EMAIL } from './route-callers.ts';

const KEY_MAKERS: readonly MemberRole[] = ['owner', 'admin', 'member'];
const on = '/api/management';
const at =
  (subject: string, tail = ''): RouteExpectation['path'] =>
  ({ key }) =>
    `${on}/${subject}/${key}${tail}`;
const scope = 'management';
const gives = { succeeds: 200, scope, anotherOrgs: 404 } as const;
const lists = (path: string): RouteExpectation => ({
  path: () => path,
  succeeds: 200,
  scope,
  anotherOrgs: 200,
});

/**
 * Returns the expectations for the routes of organizations, members, teams, keys and the audit log.
 */
export function createIdentityRouteExpectations(): Record<string, RouteExpectation> {
  return {
    'GET /api/me': { ...lists('/api/me'), scope: null },
    'PATCH /api/me': {
      ...lists('/api/me'),
      scope: null,
      keys: false,
      roles: MEMBER_ROLES,
      body: { preferences: { density: 'compact' } },
    },
    [`GET ${on}/org`]: lists(`${on}/org`),
    [`PATCH ${on}/org`]: { ...lists(`${on}/org`), body: { timezone: 'Europe/Berlin' } },
    [`POST ${on}/orgs`]: {
      path: () => `${on}/orgs`,
      // Ids of orgs are never reused.
      body: () => ({ id: createId('org', 0).replace('_', '-') }),
      succeeds: 201,
      scope,
      roles: MEMBER_ROLES,
      operator: true,
      keys: false,
      stepUp: true,
      anotherOrgs: 201,
    },
    ...people(),
    ...operators(),
    ...teams(),
    ...keys(),
    [`GET ${on}/audit`]: lists(`${on}/audit`),
    [`GET ${on}/audit/chain`]: lists(`${on}/audit/chain`),
    [`GET ${on}/audit/anchors`]: lists(`${on}/audit/anchors`),
    [`POST ${on}/audit/verify`]: {
      ...lists(`${on}/audit/verify`),
      body: { anchors: [{ seq: 1, hash: 'a'.repeat(64) }] },
    },
    [`GET ${on}/audit/export`]: lists(`${on}/audit/export`),
  };
}

function people(): Record<string, RouteExpectation> {
  const invitation = { email: 'new@seed.example' };
  return {
    [`GET ${on}/members`]: lists(`${on}/members`),
    [`GET ${on}/members/{id}`]: { path: at('members'), ...gives },
    [`PATCH ${on}/members/{id}`]: { path: at('members'), body: { role: 'member' }, ...gives },
    [`DELETE ${on}/members/{id}`]: { path: at('members'), ...gives, succeeds: 204 },
    [`GET ${on}/removed-members`]: lists(`${on}/removed-members`),
    [`DELETE ${on}/removed-members/{id}`]: { path: at('removed-members'), ...gives, succeeds: 204 },
    [`GET ${on}/invitations`]: lists(`${on}/invitations`),
    [`POST ${on}/invitations`]: {
      ...lists(`${on}/invitations`),
      body: invitation,
      succeeds: 201,
      anotherOrgs: 201,
    },
    [`DELETE ${on}/invitations/{id}`]: { path: at('invitations'), ...gives, succeeds: 204 },
    [`POST ${on}/people/export`]: {
      ...lists(`${on}/people/export`),
      body: { email: 'left@seed.example' },
    },
    [`POST ${on}/people/erase`]: {
      ...lists(`${on}/people/erase`),
      body: { email: 'left@seed.example', reason: 'A trial' },
      roles: ['owner'],
      stepUp: true,
    },
  };
}

const BY_OPERATORS = { scope, roles: MEMBER_ROLES, operator: true, keys: false } as const;

function operators(): Record<string, RouteExpectation> {
  const path = () => `${on}/operators`;
  return {
    [`GET ${on}/operators`]: { ...BY_OPERATORS, path, succeeds: 200, anotherOrgs: 200 },
    [`POST ${on}/operators`]: {
      ...BY_OPERATORS,
      path,
      body: { email: 'granted@seed.example' },
      succeeds: 201,
      stepUp: true,
      anotherOrgs: 201,
    },
    [`DELETE ${on}/operators/{id}`]: {
      ...BY_OPERATORS,
      path: at('operators'),
      succeeds: 204,
      stepUp: true,
      anotherOrgs: 204,
    },
  };
}

function teams(): Record<string, RouteExpectation> {
  const path = at('teams');
  return {
    [`GET ${on}/teams`]: lists(`${on}/teams`),
    [`POST ${on}/teams`]: {
      ...lists(`${on}/teams`),
      body: { id: 'made' },
      succeeds: 201,
      anotherOrgs: 201,
    },
    [`GET ${on}/teams/{id}`]: { path, ...gives },
    [`PATCH ${on}/teams/{id}`]: { path, body: { cost_center: '4712' }, ...gives },
    // Ids are unique per org, so another org creates its own team with the id.
    [`PUT ${on}/teams/{id}`]: { path, body: { name: 'Put' }, ...gives, anotherOrgs: 200 },
    [`DELETE ${on}/teams/{id}`]: { path, ...gives, succeeds: 204 },
  };
}

/** Callers can only grant scopes that they have. */
function keyBody(by: string): object {
  return { name: createId('key', 0), scopes: [by === 'management' ? 'management' : 'read'] };
}

function keys(): Record<string, RouteExpectation> {
  const path = at('keys');
  const roles = KEY_MAKERS;
  return {
    [`POST ${on}/keys`]: {
      ...lists(`${on}/keys`),
      body: keyBody,
      succeeds: 201,
      roles,
      anotherOrgs: 201,
    },
    [`GET ${on}/keys`]: lists(`${on}/keys`),
    [`GET ${on}/keys/{id}`]: { path, ...gives },
    [`PATCH ${on}/keys/{id}`]: { path, body: { models: ['openai/*'] }, ...gives, roles },
    [`PUT ${on}/keys/{id}`]: {
      path,
      // A member may not clear the owner of their key.
      body: (by: string) => ({ ...keyBody(by), ...(by === 'member' && { owner: ROUTE_MEMBER_EMAIL }) }),
      ...gives,
      roles,
    },
    [`POST ${on}/keys/{id}/rotate`]: { path: at('keys', '/rotate'), body: {}, ...gives, roles },
    [`POST ${on}/keys/{id}/end-overlap`]: { path: at('keys', '/end-overlap'), ...gives, roles },
    [`DELETE ${on}/keys/{id}`]: { path, ...gives, succeeds: 204, roles },
    [`POST ${on}/keys/report-leak`]: {
      path: () => `${on}/keys/report-leak`,
      body: { found_in: 'https://gist.example/1' },
      succeeds: 204,
      scope: null,
      roles: [],
      anotherOrgs: 204,
      endsKey: true,
    },
  };
}
