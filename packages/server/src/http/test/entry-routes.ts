import assert from 'node:assert/strict';
import type { RouteExpectation } from './monitoring-routes.ts';
import type { RunningApi } from './running-api.ts';

const scope = 'management';
const PROVIDER = { kind: 'sandbox', credentials: [{ name: 'main', api_key: 'a-key-of-some-length' }] };
const BODIES = {
  providers: { kind: 'sandbox' },
  routes: { targets: ['sandbox/echo'], strategy: 'weighted' },
  policies: { on: 'request', when: 'true', action: 'flag' },
} as const;
const NAMED = { providers: 'id', routes: 'model', policies: 'name' } as const;
const CHANGES = {
  providers: { models: ['e*'] },
  routes: { retries: 1 },
  policies: { mode: 'enforce' },
} as const;
const KINDS = ['providers', 'routes', 'policies'] as const;

/** Returns the expectations for the routes of providers, routes and policies. */
export function createEntryRouteExpectations(): Record<string, RouteExpectation> {
  const rows: Record<string, RouteExpectation> = {};
  for (const kind of KINDS) {
    const all = `/api/management/${kind}`;
    const one: RouteExpectation['path'] = ({ key }) => `${all}/${key}`;
    const made = { ...BODIES[kind], [NAMED[kind]]: 'made' };
    // The other org has no provider that a route could reference.
    const lacks = kind === 'routes' ? 400 : 201;
    rows[`GET ${all}`] = { path: () => all, succeeds: 200, scope, anotherOrgs: 200 };
    rows[`POST ${all}`] = { path: () => all, body: made, succeeds: 201, scope, anotherOrgs: lacks };
    rows[`GET ${all}/{id}`] = { path: one, succeeds: 200, scope, anotherOrgs: 404 };
    rows[`PATCH ${all}/{id}`] = { path: one, body: CHANGES[kind], succeeds: 200, scope, anotherOrgs: 404 };
    // Ids are unique per org, so another org creates its own entry with the id.
    const replaced = kind === 'routes' ? 400 : 200;
    rows[`PUT ${all}/{id}`] = { path: one, body: BODIES[kind], succeeds: 200, scope, anotherOrgs: replaced };
    rows[`DELETE ${all}/{id}`] = { path: one, succeeds: 204, scope, anotherOrgs: 404 };
  }
  for (const [name, body] of [
    ['settings', { stored_responses: false }],
    ['cache', { enabled: true }],
  ] as const) {
    const path = () => `/api/management/${name}`;
    rows[`GET ${path()}`] = { path, succeeds: 200, scope, anotherOrgs: 200 };
    rows[`PATCH ${path()}`] = { path, body, succeeds: 200, scope, anotherOrgs: 200 };
  }
  const config = '/api/management/config';
  const body = { yaml: 'orgs: [{ id: any }]' };
  rows[`GET ${config}`] = { path: () => config, succeeds: 200, scope, anotherOrgs: 200 };
  rows[`GET ${config}/file`] = { path: () => `${config}/file`, succeeds: 200, scope, anotherOrgs: 200 };
  rows[`GET ${config}/entries/{kind}/{id}`] = {
    path: ({ key }) => `${config}/entries/providers/${key}`,
    succeeds: 200,
    scope,
    anotherOrgs: 404,
  };
  rows[`GET ${config}/export`] = { path: () => `${config}/export`, succeeds: 200, scope, anotherOrgs: 200 };
  for (const name of ['diff', 'apply'])
    rows[`POST ${config}/${name}`] = {
      path: () => `${config}/${name}`,
      body,
      succeeds: 200,
      scope,
      anotherOrgs: 200,
    };
  return { ...rows, ...credentialRouteExpectations() };
}

function credentialRouteExpectations(): Record<string, RouteExpectation> {
  const route = '/api/management/providers/{id}/credentials';
  const all: RouteExpectation['path'] = ({ key }) => `/api/management/providers/${key}/credentials`;
  const one: RouteExpectation['path'] = (ids) => `${all(ids)}/main`;
  const body = { name: 'second', api_key: 'another-key-of-some-length' };
  return {
    [`GET ${route}`]: { path: all, succeeds: 200, scope, anotherOrgs: 404 },
    [`POST ${route}`]: { path: all, body, succeeds: 201, scope, anotherOrgs: 404, stepUp: true },
    [`GET ${route}/{name}`]: { path: one, succeeds: 200, scope, anotherOrgs: 404 },
    [`PATCH ${route}/{name}`]: { path: one, body: { weight: 2 }, succeeds: 200, scope, anotherOrgs: 404 },
    [`DELETE ${route}/{name}`]: { path: one, succeeds: 204, scope, anotherOrgs: 404, stepUp: true },
    [`POST ${route}/{name}/test`]: {
      path: (ids) => `${one(ids)}/test`,
      succeeds: 200,
      scope,
      anotherOrgs: 404,
    },
    'POST /api/management/providers/test': {
      path: () => '/api/management/providers/test',
      body: { id: 'draft', ...PROVIDER },
      succeeds: 200,
      scope,
      anotherOrgs: 200,
    },
    'GET /api/management/models': {
      path: () => '/api/management/models',
      succeeds: 200,
      scope,
      anotherOrgs: 200,
    },
  };
}

/**
 * Creates a provider, a route and a policy in `acme` with this id, and a provider that they may
 * refer to. Removes all others.
 */
export async function seedEntries(api: RunningApi, id: string): Promise<void> {
  await api.database.transaction(async (writer) => {
    for (const table of ['config_entries', 'provider_credentials'] as const)
      await writer.deleteFrom(table).execute();
  });
  const { key } = await api.addKey('acme');
  const put = async (kind: string, name: string, body: object) => {
    const { status, text } = await api.call('PUT', `/api/management/${kind}/${name}`, { key, body });
    assert.equal(status, 200, text);
  };
  await put('providers', 'sandbox', { kind: 'sandbox' });
  await put('providers', id, PROVIDER);
  await put('routes', id, BODIES.routes);
  await put('policies', id, BODIES.policies);
}
