import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FloeConfigSchema } from '@floe/contract/config';
import type { BreakerView } from '../guardrails/breakers/breakers.ts';
import { API_TEST_NOW, listResponseEntries, runApi } from './test/running-api.ts';

const EMAIL = 'ada@example.org';
const AT = new Date(API_TEST_NOW).toISOString();
const BREAKER: BreakerView = {
  orgId: 'acme',
  provider: 'two',
  credential: 'default',
  model: 'm',
  state: 'open',
  reason: '5 failures in a row',
  probe: null,
  forced: null,
  waitMs: 1200.5,
  unforcedWaitMs: 1200.5,
  calls: { ok: 0, failed: 5, slow: 0 },
};

/** The org as a floe.yaml with these sections has it. */
function orgWith(more: object) {
  const provider = {
    kind: 'openai-compatible',
    base_url: 'http://127.0.0.1:9/v1',
    api_key: 'very-secret',
    models: ['m'],
  };
  const org = {
    id: 'acme',
    providers: [
      {
        ...provider,
        id: 'one',
        headers: { 'x-extra': 'secret-header' },
        prices: { m: { input: 1, output: 1 } },
      },
      { ...provider, id: 'two', prices: { m: { input: 1, output: 1 } } },
      { ...provider, id: 'off', enabled: false },
    ],
    routes: [
      { model: 'smart', targets: ['one/m', 'two/m', 'one/other'] },
      { model: '*', retries: 1 },
    ],
    policies: [
      { name: 'no-cards', on: 'request', detect: { pii: ['credit_card'] }, action: 'deny', mode: 'enforce' },
      { name: 'no-mail', on: 'request', detect: { pii: ['email'] }, action: 'redact' },
    ],
    ...more,
  };
  return FloeConfigSchema.parse({ orgs: [org] }).orgs[0];
}

async function start(t: TestContext, more: object = {}) {
  const org = orgWith(more);
  assert.ok(org);
  const api = await runApi({
    org,
    breakers: { list: (orgId) => (orgId === 'acme' ? [BREAKER] : []) },
    fileRules: { limits: org.limits.map((config) => ({ config, line: null })) },
  });
  t.after(() => api.close());
  const { key, id } = await api.addKey('acme', { scopes: ['management', 'gateway'] });
  return { ...api, key, id };
}

test('policies, routes and providers are listed as in the file, with their lines and without secrets', async (t) => {
  const { call, key, addKey } = await start(t);
  const policies = await call('GET', '/api/management/policies?limit=1', { key });
  assert.equal(policies.status, 200, policies.text);
  assert.deepEqual(policies.body['data']?.[0], {
    id: 'no-cards',
    name: 'no-cards',
    enabled: true,
    on: 'request',
    when: null,
    detect: { secrets: false, pii: ['credit_card'] },
    action: 'deny',
    mode: 'enforce',
    message: null,
    position: 0,
    source: { kind: 'file', file: 'floe.yaml', line: 10 },
    created_at: AT,
    updated_at: AT,
    updated_by: 'file',
  });
  const next = await call('GET', `/api/management/policies?cursor=${policies.body['next_cursor']}`, { key });
  assert.equal(next.body['data']?.[0]?.['name'], 'no-mail');
  assert.equal(next.body['next_cursor'], null);
  const routes = await call('GET', '/api/management/routes', { key });
  assert.deepEqual(routes.body['data']?.[0]?.['targets']?.[1], { model: 'two/m', weight: 1 });
  const providers = await call('GET', '/api/management/providers', { key });
  const [credential] = listResponseEntries(providers.body['data']?.[0]?.['credentials']);
  assert.deepEqual(
    [credential?.['name'], credential?.['weight'], credential?.['last4']],
    ['default', 1, null],
  );
  assert.deepEqual(providers.body['data']?.[0]?.['header_names'], ['x-extra']);
  assert.equal(providers.body['data']?.[2]?.['enabled'], false);
  assert.ok(!providers.text.includes('secret'), providers.text);
  const other = await addKey('other', { scopes: ['read'] });
  for (const path of ['policies', 'routes', 'providers'])
    assert.deepEqual((await call('GET', `/api/management/${path}`, { key: other.key })).body['data'], []);
});

const DRY_RUN = '/api/management/policies/dry-run';
const asks = (content: string) => ({ model: 'one/m', messages: [{ role: 'user', content }] });

test('a dry run shows the effect of rules on samples, for active rules as if all were enforced', async (t) => {
  const { call, key } = await start(t);
  const samples = [
    { request: asks('Hello') },
    { request: asks(`Mail ${EMAIL}`) },
    { request: asks('4111 1111 1111 1111') },
  ];
  const { status, body, text } = await call('POST', DRY_RUN, { key, body: { samples } });
  assert.equal(status, 200, text);
  const requests = [0, 1, 2].map((n) => body['data']?.[n]?.['request']);
  assert.deepEqual(
    requests.map((one) => one?.['outcome']),
    ['passed', 'redacted', 'denied'],
  );
  assert.deepEqual(requests[1]?.['body'], asks('Mail [redacted:email]'));
  assert.deepEqual(requests[1]?.['decisions'], [
    {
      policy: 'no-mail',
      mode: 'monitor',
      outcome: 'redacted',
      reason: '"no-mail": found 1 email in messages[0].content',
    },
  ]);
});

test('a draft also evaluates responses, and an invalid one is rejected with the field', async (t) => {
  const { call, key } = await start(t);
  const draft = {
    name: 'draft',
    on: 'answer',
    when: 'answer.text.contains("no") && key == "ci"',
    action: 'deny',
  };
  const answer = {
    id: 'x',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'oh no' }, finish_reason: 'stop' }],
  };
  const samples = [
    { request: asks('Hi'), answer, key: 'ci' },
    { request: asks('Hi'), answer },
  ];
  const good = await call('POST', DRY_RUN, { key, body: { policies: [draft], samples } });
  assert.equal(good.status, 200, good.text);
  assert.deepEqual(
    [0, 1].map((n) => good.body['data']?.[n]?.['answer']?.['outcome']),
    ['denied', 'passed'],
  );
  const bad = await call('POST', DRY_RUN, {
    key,
    body: { policies: [{ ...draft, when: 'answer.tekst == ""' }], samples },
  });
  assert.deepEqual([bad.status, bad.body['error']?.['param']], [400, 'policies[0].when']);
  const malformed = await call('POST', DRY_RUN, {
    key,
    body: { samples: [{ ...samples[0], answer: { choices: 'none' } }] },
  });
  assert.ok(malformed.status < 500, malformed.text);
});

const SIMULATE = '/api/management/routes/simulate';
const stepsOf = (body: { readonly [name: string]: unknown }) =>
  (Array.isArray(body['steps']) ? body['steps'] : []).map(({ step, outcome }) => `${step} ${outcome}`);

test('a simulation lists the targets in order with their breakers, skipped targets, and the first rejection', async (t) => {
  const { call, key } = await start(t);
  const request = { ...asks('Hello'), model: 'smart' };
  const sent = await call('POST', SIMULATE, { key, body: { request } });
  assert.equal(sent.status, 200, sent.text);
  assert.deepEqual([sent.body['outcome'], sent.body['status'], sent.body['code']], ['sent', 200, null]);
  assert.deepEqual(stepsOf(sent.body), [
    'authenticate allowed',
    'route one/m, two/m',
    'route skipped',
    'breaker skipped',
  ]);
  assert.deepEqual(sent.body['targets']?.[1], {
    provider: 'two',
    model: 'm',
    credential: 'default',
    breaker: 'open',
    wait_ms: 1201,
    reason: '5 failures in a row',
  });
  assert.equal(sent.body['targets']?.[0]?.['breaker'], 'closed');
  const denied = await call('POST', SIMULATE, {
    key,
    body: { request: { ...request, ...asks('4111111111111111'), model: 'smart' } },
  });
  assert.deepEqual([denied.body['status'], denied.body['code']], [403, 'policy_denied']);
  const unknown = await call('POST', SIMULATE, { key, body: { request: { ...request, model: 'nobody/m' } } });
  assert.deepEqual([unknown.body['status'], unknown.body['code']], [404, 'model_not_found']);
  const shapeless = await call('POST', SIMULATE, { key, body: { request: { model: 'smart' } } });
  assert.deepEqual([shapeless.body['status'], shapeless.body['code']], [400, 'missing_required_parameter']);
});

test('a simulation orders a target with an open breaker last, like the gateway', async (t) => {
  const { call, key } = await start(t, { routes: [{ model: 'smart', targets: ['two/m', 'one/m'] }] });
  const request = { ...asks('Hello'), model: 'smart' };
  const { body } = await call('POST', SIMULATE, { key, body: { request } });
  assert.deepEqual(
    listResponseEntries(body['targets']).map(({ provider, breaker }) => `${provider} ${breaker}`),
    ['one closed', 'two open'],
  );
  const alone = await call('POST', SIMULATE, { key, body: { request: { ...request, model: 'two/m' } } });
  assert.deepEqual(stepsOf(alone.body).slice(-2), ['breaker skipped', 'breaker panic']);
});

test('a simulation returns errors in the order of the gateway, 429, 403, 402, and reserves nothing', async (t) => {
  const { call, key } = await start(t, {
    limits: [{ name: 'small', scope: 'org', tpm: 1000, rpm: 1 }],
    budgets: [{ name: 'nothing', scope: 'org', period: 'total', limit_usd: 0.000001 }],
  });
  const body = { request: asks('Hello') };
  for (let tries = 0; tries < 3; tries += 1) {
    const broke = await call('POST', SIMULATE, { key, body });
    assert.deepEqual([broke.body['status'], broke.body['code']], [402, 'budget_exceeded'], broke.text);
  }
  const denied = await call('POST', SIMULATE, { key, body: { request: asks('4111111111111111') } });
  assert.equal(denied.body['code'], 'policy_denied');
});

test('another key of the same organization can be simulated', async (t) => {
  const { call, key, addKey } = await start(t);
  const narrow = await addKey('acme', { scopes: ['gateway'], models_json: '["two/*"]' });
  const blind = await addKey('acme', { scopes: ['monitoring'] });
  const other = await addKey('other', { scopes: ['gateway'] });
  const as = async (key_id: string) =>
    (await call('POST', SIMULATE, { key, body: { request: asks('Hello'), key_id } })).body;
  assert.equal((await as(narrow.id))['code'], 'model_not_allowed');
  assert.equal((await as(blind.id))['code'], 'insufficient_scope');
  assert.equal((await as(other.id))['error']?.['code'], 'not_found');
});
