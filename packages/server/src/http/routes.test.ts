// Tier: ci. Every operation by every role and scope.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { MEMBER_ROLES, type MemberRole } from '@floe/contract/roles';
import type { KeyScope } from '@floe/contract/scopes';
import { eventually } from '@floe/testkit/eventually';
import { enqueueAlert } from '../alerts/alert.ts';
import { createFailingAlert } from '../alerts/test/test-outbox.ts';

import type { StoredRuleKind } from '../store/stored-rules.ts';
import { buildBeatOpenApiPaths } from './beat-openapi.ts';
import { createAnalyticsRouteExpectations } from './test/analytics-routes.ts';
import { createEntryRouteExpectations } from './test/entry-routes.ts';
import { createIdentityRouteExpectations } from './test/identity-routes.ts';
import {
  createMonitoringRouteExpectations,
  ROLES_WITH_WRITE,
  type RouteExpectation,
} from './test/monitoring-routes.ts';
import { createRelayRouteExpectations } from './test/relay-routes.ts';
import { createRouteCallers, type RouteCallers } from './test/route-callers.ts';
import { seedRoute, WEBHOOK_CHANNEL } from './test/route-seeds.ts';
import { type ResponseJson, type RunningApi, runApi } from './test/running-api.ts';
import { storeTestBodies } from './test/test-bodies.ts';

/** The operations of limits and budgets, which are alike. */
function rulesExpected(kind: StoredRuleKind, body: object): Record<string, RouteExpectation> {
  const list = () => `/api/management/${kind}`;
  const one: RouteExpectation['path'] = ({ key }) => `/api/management/${kind}/${key}`;
  const scope = 'management';
  return {
    [`GET /api/management/${kind}`]: { path: list, succeeds: 200, scope, anotherOrgs: 200 },
    [`POST /api/management/${kind}`]: { path: list, body, succeeds: 201, scope, anotherOrgs: 201 },
    [`GET /api/management/${kind}/{id}`]: { path: one, succeeds: 200, scope, anotherOrgs: 404 },
    [`PATCH /api/management/${kind}/{id}`]: {
      path: one,
      body: { on_store_error: 'open', reason: 'A trial' },
      succeeds: 200,
      scope,
      anotherOrgs: 404,
    },
    // An id is the org's own: another org makes a rule of its own with it.
    [`PUT /api/management/${kind}/{id}`]: {
      path: one,
      body: { ...body, reason: 'A trial' },
      succeeds: 200,
      scope,
      anotherOrgs: 200,
    },
    [`DELETE /api/management/${kind}/{id}`]: {
      path: (ids) => `${one(ids)}?reason=A%20trial`,
      succeeds: 204,
      scope,
      anotherOrgs: 404,
    },
  };
}

/** Nobody listens at the channels' address: their tests answer 200 and say so. */
function channelsExpected(): Record<string, RouteExpectation> {
  const channels = '/api/monitoring/channels';
  const one: RouteExpectation['path'] = ({ key }) => `${channels}/${key}`;
  const list = () => channels;
  const test: RouteExpectation['path'] = (ids) => `${one(ids)}/test`;
  const scope = ['monitoring', 'management'] as const;
  const body = { name: 'hooks', ...WEBHOOK_CHANNEL };
  return {
    [`GET ${channels}`]: { path: list, succeeds: 200, scope, anotherOrgs: 200 },
    [`POST ${channels}`]: { path: list, body, succeeds: 201, scope, anotherOrgs: 201 },
    [`GET ${channels}/{id}`]: { path: one, succeeds: 200, scope, anotherOrgs: 404 },
    [`PATCH ${channels}/{id}`]: { path: one, body: { events: null }, succeeds: 200, scope, anotherOrgs: 404 },
    // A name is the org's own: another org makes a channel of its own with it.
    [`PUT ${channels}/{id}`]: { path: one, body: WEBHOOK_CHANNEL, succeeds: 200, scope, anotherOrgs: 200 },
    [`DELETE ${channels}/{id}`]: { path: one, succeeds: 204, scope, anotherOrgs: 404 },
    [`POST ${channels}/{id}/test`]: { path: test, succeeds: 200, scope, anotherOrgs: 404 },
    [`POST ${channels}/test`]: {
      path: () => `${channels}/test`,
      body,
      succeeds: 200,
      scope,
      anotherOrgs: 200,
    },
  };
}

const EXPECTED: Readonly<Record<string, RouteExpectation>> = {
  ...createIdentityRouteExpectations(),
  ...rulesExpected('limits', { scope: 'org', rpm: 5 }),
  ...rulesExpected('budgets', { name: 'all', scope: 'org', period: 'day', limit_usd: 5 }),
  'GET /api/management/breakers': {
    path: () => '/api/management/breakers',
    succeeds: 200,
    scope: 'management',
    anotherOrgs: 200,
  },
  'POST /api/management/breakers/{id}/force': {
    path: () => `/api/management/breakers/${encodeURIComponent('main/large@default')}/force`,
    body: { state: 'auto', reason: 'maintenance' },
    succeeds: 200,
    scope: 'management',
    anotherOrgs: 200,
  },
  'POST /api/management/cache/purge': {
    path: () => '/api/management/cache/purge',
    succeeds: 204,
    scope: 'management',
    anotherOrgs: 204,
  },
  ...createEntryRouteExpectations(),
  'POST /api/management/policies/dry-run': {
    path: () => '/api/management/policies/dry-run',
    body: { samples: [{ request: { model: 'm', messages: [] } }] },
    succeeds: 200,
    scope: 'management',
    anotherOrgs: 200,
  },
  'POST /api/management/policies/dry-run/jobs': {
    path: () => '/api/management/policies/dry-run/jobs',
    body: { from: '2026-11-20' },
    succeeds: 200,
    scope: 'management',
    anotherOrgs: 200,
  },
  'POST /api/management/routes/simulate': {
    path: () => '/api/management/routes/simulate',
    body: { surface: 'chat', request: { model: 'sandbox/echo', messages: [] } },
    succeeds: 200,
    scope: 'management',
    roles: MEMBER_ROLES,
    anotherOrgs: 200,
  },
  ...channelsExpected(),
  ...createMonitoringRouteExpectations(),
  ...createRelayRouteExpectations(),
  'GET /api/monitoring/alerts': {
    path: () => '/api/monitoring/alerts',
    succeeds: 200,
    scope: ['monitoring', 'management'],
    anotherOrgs: 200,
  },
  ...createAnalyticsRouteExpectations(),
  'GET /api/analytics/requests': {
    path: () => '/api/analytics/requests',
    succeeds: 200,
    scope: 'management',
    anotherOrgs: 200,
  },
  'GET /api/analytics/requests/{id}/bodies': {
    path: () => '/api/analytics/requests/exc_1/bodies',
    succeeds: 200,
    scope: 'management',
    roles: ['owner', 'admin', 'member'],
    isConfidential: true,
    anotherOrgs: 404,
  },
  'GET /api/analytics/requests/{id}': {
    path: () => '/api/analytics/requests/exc_1',
    succeeds: 200,
    scope: 'management',
    anotherOrgs: 404,
  },
  'GET /api/analytics/summary': {
    path: () => '/api/analytics/summary',
    succeeds: 200,
    scope: 'management',
    anotherOrgs: 200,
  },
  'GET /api/analytics/timeseries': {
    path: () => '/api/analytics/timeseries?metric=requests&group_by=model',
    succeeds: 200,
    scope: 'management',
    anotherOrgs: 200,
  },
  'GET /api/analytics/top': {
    path: () => '/api/analytics/top?by=model',
    succeeds: 200,
    scope: 'management',
    anotherOrgs: 200,
  },
};

const ids = { key: 'key_subject' };
const SCOPES_TRIED = ['gateway', 'monitoring', 'beat', 'relay', 'management', 'read'] as const;

let asking: RouteCallers;
let api: RunningApi;
before(async () => {
  api = await runApi();
  asking = await createRouteCallers(api);
  await api.addExchange('acme', { id: 'exc_1' });
  await storeTestBodies(api, 'acme', 'exc_1', { request: { model: 'm' }, owner: asking.memberEmail });
  await api.database.transaction((writer) => enqueueAlert(writer, createFailingAlert('acme-nightly')));
});
after(() => api.close());

/** What a request came to: its status, with the code of a refusal. */
async function ask(route: string, key: string | undefined, by = '', at = ids): Promise<string> {
  const { method, path, body } = requestOf(route, at, by);
  const { status, body: answer } = await api.call(method, path, { ...(key !== undefined && { key }), body });
  return status < 400 ? String(status) : `${status} ${answer.error?.code}`;
}

function requestOf(route: string, at: { readonly key: string }, by: string) {
  const { path, body } = rowOf(route);
  const method = route.slice(0, route.indexOf(' '));
  return { method, path: path(at), body: typeof body === 'function' ? body(by) : body };
}

function rowOf(route: string): RouteExpectation {
  const row = EXPECTED[route];
  assert.ok(row, `${route} has no row in this table`);
  return row;
}

test('every route of the OpenAPI document has its row here, with its roles and its success', async () => {
  const { body } = await api.call('GET', '/api/openapi.json');
  // Where beats are taken is no part of this API; `beat-routes` and heartbeats.test.ts have their rules.
  const taken = new Set(Object.keys(buildBeatOpenApiPaths()));
  const own = Object.entries(body.paths ?? {}).filter(([path]) => !taken.has(path));
  const routes = own.flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      route: `${method.toUpperCase()} ${path}`,
      operation,
    })),
  );
  // A stream never ends: `events-api.test.ts` asks for it.
  const [streams, rows] = [routes.filter(isStream), routes.filter((one) => !isStream(one))];
  assert.deepEqual(
    streams.map(({ route }) => route),
    ['GET /api/events'],
  );
  assert.deepEqual(rows.map(({ route }) => route).sort(), Object.keys(EXPECTED).sort());
  for (const { route, operation } of rows) {
    assert.deepEqual(operation['x-floe-roles'], rolesOf(route), route);
    assert.equal(operation['x-floe-operator'], rowOf(route).operator, route);
    assert.ok(operation.responses?.[rowOf(route).succeeds], route);
  }
});

test('every list takes a limit and a cursor, which the command line always sends', async () => {
  for (const { name, method, query, answer } of api.operations) {
    const shape = 'shape' in answer ? Object.keys(Object(answer.shape)) : [];
    if (method !== 'GET' || !shape.includes('next_cursor')) continue;
    for (const field of ['limit', 'cursor']) assert.ok(field in query.shape, `${name} takes no ${field}`);
  }
});

/** No `GET`, and yet nothing to be found in the audit log: what they write, if anything, is a record by itself. */
const CHANGE_NOTHING: Readonly<Record<string, string>> = {
  'policies.dry_run': 'looks at what would be',
  'policies.start_dry_run': 'looks at what would be; a job for as long as it takes',
  'routes.simulate': 'looks at what would be',
  'audit.verify': 'compares',
  'config.diff': 'looks at what would be',
  'boards.preview': 'looks at what would be',
  'monitors.preview': 'looks at what would be',
  'relay.simulate': 'looks at what would be',
  'relay.replay': 'looks at what would be; a job for as long as it takes',
  'channels.test': 'sends a message that says it is a test',
  'channels.test_draft': 'sends a message that says it is a test',
  'providers.test': 'asks a provider',
  'credentials.test': 'asks a provider, and keeps what came of it beside the key',
  'relay.decide': 'is kept as a decision',
  'relay.decide_batch': 'is kept as decisions',
  'relay.hook': 'is kept as a decision',
  'relay.report': 'is kept as a report',
};

test('every request other than GET is a change with an audit entry, or is listed here with a reason', () => {
  // That changes leave their entries is what `runApi` holds every operation to, in each test that asks one.
  const others = api.operations.filter(({ method, readAnswer }) => method !== 'GET' && readAnswer !== null);
  assert.deepEqual(others.map(({ name }) => name).sort(), Object.keys(CHANGE_NOTHING).sort());
});

function isStream({ operation }: { readonly operation: ResponseJson }): boolean {
  return operation.responses?.['200']?.content?.['text/event-stream'] !== undefined;
}

/** Members who may use a route. */
function rolesOf(route: string): readonly MemberRole[] {
  const { roles, scope } = rowOf(route);
  if (roles) return roles;
  if (scope === null || route.startsWith('GET ')) return MEMBER_ROLES;
  const wanted = typeof scope === 'string' ? [scope] : scope;
  return MEMBER_ROLES.filter((role) => wanted.some((one) => ROLES_WITH_WRITE[one].includes(role)));
}

/** What a key with these scopes is told; null when it may. */
function refusalOf(route: string, scopes: readonly KeyScope[]): string | null {
  const { keys, scope, isConfidential } = rowOf(route);
  if (keys === false) return '403 insufficient_role';
  if (scope === null) return null;
  const wanted = typeof scope === 'string' ? [scope] : scope;
  const enough = route.startsWith('GET ') && !isConfidential ? [...wanted, 'read'] : wanted;
  return scopes.some((one) => enough.includes(one)) ? null : '403 insufficient_scope';
}

/** Asks again while the jobs of earlier calls are in progress. */
const askWhenFree = (...call: Parameters<typeof ask>) =>
  eventually(async () => {
    const outcome = await ask(...call);
    assert.doesNotMatch(outcome, /^429/);
    return outcome;
  });

/** Passed whoever may do what: what comes then is about the request. */
function mustPass(outcome: string, who: string): void {
  assert.doesNotMatch(outcome, /^401|insufficient_|step_up_required/, who);
}

for (const [route, row] of Object.entries(EXPECTED)) {
  test(`${route} requires authentication`, async () => {
    for (const [who, outcome] of Object.entries(asking.rejected))
      assert.equal(await ask(route, outcome.key), outcome.told, who);

    for (const role of MEMBER_ROLES) {
      const outcome = await ask(route, asking.members[role], role);
      if (rolesOf(route).includes(role) && !row.operator) mustPass(outcome, role);
      else assert.equal(outcome, '403 insufficient_role', role);
    }
    if (row.operator) mustPass(await ask(route, asking.operator, 'operator'), 'an operator');
    if (row.stepUp) assert.equal(await ask(route, asking.notSteppedUp), '403 step_up_required');
    if (row.endsKey) return;
    const wanted = row.scope === null ? [] : [row.scope].flat();
    for (const scope of [...wanted, 'read'] as const) {
      const outcome = await ask(route, asking.keys[scope], scope);
      const refusal = refusalOf(route, [scope]);
      if (refusal === null) mustPass(outcome, scope);
      else assert.equal(outcome, refusal, scope);
    }
    // Any one of a key's scopes is enough, so this asks for each of the others at once.
    const others = SCOPES_TRIED.filter((scope) => scope !== 'read' && !wanted.includes(scope));
    const lacking = (await asking.keyWith(others)).key;
    const refusal = refusalOf(route, others);
    if (refusal === null) mustPass(await ask(route, lacking), 'every other scope');
    else assert.equal(await ask(route, lacking), refusal, 'every other scope');
  });

  test(`${route} succeeds for the lowest permitted role or scope`, async () => {
    const least = rolesOf(route).at(-1);
    const scope = SCOPES_TRIED.findLast((one) => refusalOf(route, [one]) === null);
    assert.ok(least ?? scope);
    if (least !== undefined) {
      const at = await seedRoute(api, route, { scopes: ['gateway'], owner: asking.memberEmail });
      const key = row.operator ? asking.operator : asking.members[least];
      assert.equal(await askWhenFree(route, key, least, at), String(row.succeeds), least);
    }
    if (scope !== undefined) {
      const at = await seedRoute(api, route, { scopes: [scope] });
      const key = row.endsKey ? (await api.addKey('acme')).key : asking.keys[scope];
      assert.equal(await askWhenFree(route, key, scope, at), String(row.succeeds), scope);
    }
  });

  // What operators see is of no org.
  if (row.operator) continue;
  test(`${route} reveals nothing of another organization`, async () => {
    const at = await seedRoute(api, route);
    const { method, path, body } = requestOf(route, at, '');
    const stranger =
      row.keys === false ? asking.otherOrgMembers.owner : await asking.otherOrgKey(row.endsKey);
    const answer = await api.call(method, path, { key: stranger, body });
    assert.equal(answer.status, row.anotherOrgs);
    assert.doesNotMatch(answer.text.replace(path, ''), /acme|exc_1/i);
    // What the caller wrote may be said again.
    const told = answer.text.replace(/There is no monitor "[^"]*"/, '').replaceAll(`\\"${at.key}\\"`, '');
    if (row.anotherOrgs !== 200 || method !== 'PUT') assert.ok(!told.includes(at.key));
    const untouched = await api.call('GET', `/api/management/keys/${at.key}`, { key: asking.full });
    assert.deepEqual([untouched.body.status, untouched.body.team], ['active', null]);
  });
}
