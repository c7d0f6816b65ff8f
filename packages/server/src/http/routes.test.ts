import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Scope } from '@floe/contract/scopes';
import { enqueue } from '../alerts/alert.ts';
import { failing } from '../alerts/test/outbox.ts';
import { newKey } from '../platform/key-format.ts';
import { type GuardrailKind, putRule, removeRule, rulesOfOrg } from '../store/guardrail-rules.ts';
import { type Expected, monitoringExpected, seedMonitoring } from './test/monitoring-routes.ts';
import { NOW, type RunningApi, runApi } from './test/running-api.ts';

const KEY = ({ key }: { readonly key: string }) => `/api/management/keys/${key}`;

/** The verbs of limits and budgets, which are alike. */
function rulesExpected(kind: GuardrailKind, body: object): Record<string, Expected> {
  const list = () => `/api/management/${kind}`;
  const one: Expected['path'] = ({ key }) => `/api/management/${kind}/${key}`;
  const scope = 'management';
  return {
    [`GET /api/management/${kind}`]: { path: list, succeeds: 200, scope, anotherOrgs: 200 },
    [`POST /api/management/${kind}`]: { path: list, body, succeeds: 201, scope, anotherOrgs: 201 },
    [`GET /api/management/${kind}/{id}`]: { path: one, succeeds: 200, scope, anotherOrgs: 404 },
    [`PATCH /api/management/${kind}/{id}`]: {
      path: one,
      body: { on_store_error: 'open' },
      succeeds: 200,
      scope,
      anotherOrgs: 404,
    },
    // An id is the org's own: another org makes a rule of its own with it.
    [`PUT /api/management/${kind}/{id}`]: { path: one, body, succeeds: 200, scope, anotherOrgs: 200 },
    [`DELETE /api/management/${kind}/{id}`]: { path: one, succeeds: 204, scope, anotherOrgs: 404 },
  };
}

const HOOK = { kind: 'webhook', url: 'http://127.0.0.1:9/nobody' };

/** Lists of the running configuration. */
function listsExpected(names: readonly string[]): Record<string, Expected> {
  const scope = 'management';
  return Object.fromEntries(
    names.map((name) => [
      `GET /api/management/${name}`,
      { path: () => `/api/management/${name}`, succeeds: 200, scope, anotherOrgs: 200 },
    ]),
  );
}

/** Nobody listens at the channels' address: their tests answer 200 and say so. */
function channelsExpected(): Record<string, Expected> {
  const channels = '/api/monitoring/channels';
  const one: Expected['path'] = ({ key }) => `${channels}/${key}`;
  const list = () => channels;
  const test: Expected['path'] = (ids) => `${one(ids)}/test`;
  const scope = 'monitoring';
  const body = { name: 'hooks', ...HOOK };
  return {
    [`GET ${channels}`]: { path: list, succeeds: 200, scope, anotherOrgs: 200 },
    [`POST ${channels}`]: { path: list, body, succeeds: 201, scope, anotherOrgs: 201 },
    [`GET ${channels}/{id}`]: { path: one, succeeds: 200, scope, anotherOrgs: 404 },
    [`PATCH ${channels}/{id}`]: { path: one, body: { events: null }, succeeds: 200, scope, anotherOrgs: 404 },
    // A name is the org's own: another org makes a channel of its own with it.
    [`PUT ${channels}/{id}`]: { path: one, body: HOOK, succeeds: 200, scope, anotherOrgs: 200 },
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

/** What every request finds: rules and a channel of `acme` under the id of a key, and no others. */
async function seed(route: string, id: string): Promise<void> {
  await seedMonitoring(api, route, id);
  await seedRules(id);
  await api.database.transaction((writer) => writer.deleteFrom('channels').execute());
  const { key } = await api.addKey('acme');
  const { status } = await api.call('PUT', `/api/monitoring/channels/${id}`, { key, body: HOOK });
  assert.equal(status, 200);
}

async function seedRules(id: string): Promise<void> {
  const rules = {
    limits: { scope: 'org', rpm: 1 },
    budgets: { name: 'seed', scope: 'org', period: 'day', limit_usd: 1 },
  };
  await api.database.transaction(async (writer) => {
    for (const kind of ['limits', 'budgets'] as const) {
      for (const org of ['acme', 'other'])
        for (const row of await rulesOfOrg(writer, kind, org)) await removeRule(writer, kind, org, row.id);
      const times = { created_at: NOW, updated_at: NOW, updated_by: 'test' };
      await putRule(writer, kind, { id, org_id: 'acme', rule_json: JSON.stringify(rules[kind]), ...times });
    }
  });
}

const EXPECTED: Readonly<Record<string, Expected>> = {
  'GET /api/me': { path: () => '/api/me', succeeds: 200, scope: null, anotherOrgs: 200 },
  'POST /api/management/keys': {
    path: () => '/api/management/keys',
    body: { name: 'new', scopes: ['management'] },
    succeeds: 201,
    scope: 'management',
    anotherOrgs: 201,
  },
  'GET /api/management/keys': {
    path: () => '/api/management/keys',
    succeeds: 200,
    scope: 'management',
    anotherOrgs: 200,
  },
  'GET /api/management/keys/{id}': { path: KEY, succeeds: 200, scope: 'management', anotherOrgs: 404 },
  'PATCH /api/management/keys/{id}': {
    path: KEY,
    body: { team: 'platform' },
    succeeds: 200,
    scope: 'management',
    anotherOrgs: 404,
  },
  'DELETE /api/management/keys/{id}': { path: KEY, succeeds: 204, scope: 'management', anotherOrgs: 404 },
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
    body: { state: 'open', reason: 'maintenance' },
    succeeds: 200,
    scope: 'management',
    anotherOrgs: 200,
  },
  'GET /api/management/cache': {
    path: () => '/api/management/cache',
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
  ...listsExpected(['policies', 'providers', 'routes']),
  'POST /api/management/policies/dry-run': {
    path: () => '/api/management/policies/dry-run',
    body: { samples: [{ request: { model: 'm', messages: [] } }] },
    succeeds: 200,
    scope: 'management',
    anotherOrgs: 200,
  },
  'POST /api/management/routes/simulate': {
    path: () => '/api/management/routes/simulate',
    body: { surface: 'chat', request: { model: 'sandbox/echo', messages: [] } },
    succeeds: 200,
    scope: 'management',
    anotherOrgs: 200,
  },
  ...channelsExpected(),
  ...monitoringExpected(),
  'GET /api/monitoring/alerts': {
    path: () => '/api/monitoring/alerts',
    succeeds: 200,
    scope: 'monitoring',
    anotherOrgs: 200,
  },
  'GET /api/management/audit': {
    path: () => '/api/management/audit',
    succeeds: 200,
    scope: 'management',
    anotherOrgs: 200,
  },
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
    isGuarded: true,
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

let api: RunningApi;
let expired: string;
let revoked: string;
before(async () => {
  api = await runApi();
  expired = (await api.addKey('acme', { expires_at: NOW })).key;
  revoked = (await api.addKey('acme', { revoked_at: NOW - 1 })).key;
  await api.addExchange('acme', { id: 'exc_1' });
  await api.keepBodies('acme', 'exc_1', { request: { model: 'm', messages: [] } });
  await api.database.transaction((writer) => enqueue(writer, failing('acme-nightly')));
});
after(() => api.close());

test('every route of the API has its row in this table', () => {
  assert.deepEqual(
    api.verbs.map(({ method, path }) => `${method} ${path}`).sort(),
    Object.keys(EXPECTED).sort(),
  );
});

for (const [route, { path, body, succeeds, scope, isGuarded, anotherOrgs }] of Object.entries(EXPECTED)) {
  const method = route.slice(0, route.indexOf(' '));
  const outcome = async (key: string) => {
    const subject = await api.addKey('acme');
    await seed(route, subject.id);
    const { status, body: answer } = await api.call(method, path({ key: subject.id }), { key, body });
    return status < 400 ? status : `${status} ${answer.error?.code}`;
  };

  test(`${route} refuses a request without a good key`, async () => {
    for (const [key, code] of [
      [undefined, 'missing_api_key'],
      [newKey(), 'invalid_api_key'],
      [expired, 'key_expired'],
      [revoked, 'key_revoked'],
    ] as const) {
      const { status, body: answer } = await api.call(method, path({ key: 'key_none' }), {
        ...(key !== undefined && { key }),
        body,
      });
      assert.equal(`${status} ${answer.error?.code}`, `401 ${code}`);
    }
  });

  test(`${route} wants its scope, and read is enough to read`, async () => {
    const every: readonly Scope[] = ['gateway', 'monitoring', 'beat', 'relay', 'management'];
    const wanted = scope === null ? [] : typeof scope === 'string' ? [scope] : scope;
    const lacking = await api.addKey('acme', { scopes: every.filter((other) => !wanted.includes(other)) });
    assert.equal(await outcome(lacking.key), scope === null ? succeeds : '403 insufficient_scope');
    const reading = await api.addKey('acme', { scopes: ['read'] });
    assert.equal(
      await outcome(reading.key),
      method === 'GET' && !isGuarded ? succeeds : '403 insufficient_scope',
    );
    for (const one of wanted.length === 0 ? (['beat'] as const) : wanted) {
      const enough = await api.addKey('acme', { scopes: [one] });
      assert.equal(await outcome(enough.key), succeeds);
    }
  });

  test(`${route} shows another org nothing`, async () => {
    const stranger = await api.addKey('other');
    const subject = await api.addKey('acme');
    await seed(route, subject.id);
    const answer = await api.call(method, path({ key: subject.id }), { key: stranger.key, body });
    assert.equal(answer.status, anotherOrgs);
    assert.doesNotMatch(answer.text.replace(path({ key: subject.id }), ''), /acme|exc_1/i);
    // What the caller wrote may be said again.
    const told = answer.text.replace(/There is no monitor "[^"]*"/, '').replaceAll(`\\"${subject.id}\\"`, '');
    if (anotherOrgs !== 200 || method !== 'PUT') assert.ok(!told.includes(subject.id));
    const untouched = await api.call('GET', `/api/management/keys/${subject.id}`, {
      key: (await api.addKey('acme')).key,
    });
    assert.equal(untouched.body.status, 'active');
    assert.equal(untouched.body.team, null);
  });
}
