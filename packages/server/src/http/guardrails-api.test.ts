import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LimitSchema } from '@floe/contract/config/limits-cache-policies';
import { generatePlatformKey } from '../platform/key-format.ts';
import { API_TEST_NOW, listResponseEntries, runApi } from './test/running-api.ts';

const LIMITS = '/api/management/limits';
const BUDGETS = '/api/management/budgets';

test('a limit is created, shown with its usage, changed, replaced with its response, and removed', async (t) => {
  const api = await runApi();
  t.after(() => api.close());
  const { key } = await api.addKey('acme', { name: 'ci' });
  const created = await api.call('POST', LIMITS, {
    key,
    body: { name: 'ci', scope: 'key', key: 'ci', rpm: 60 },
  });
  assert.equal(created.status, 201, created.text);
  const { id } = created.body;
  assert.match(String(id), /^lim_/);
  assert.deepEqual(created.body['state'], {
    rpm_used: 0,
    rpm_reset_ms: 0,
    tpm_used: null,
    tpm_reset_ms: null,
    concurrency_used: null,
  });
  assert.deepEqual(created.body['source'], { kind: 'console', file: null, line: null });
  api.setNow(API_TEST_NOW + 1000);
  const changed = await api.call('PATCH', `${LIMITS}/${id}`, { key, body: { rpm: null, tpm: 5000 } });
  assert.equal(changed.status, 200, changed.text);
  assert.equal(changed.body['rpm'], null);
  assert.equal(changed.body['tpm'], 5000);
  api.setNow(API_TEST_NOW + 2000);
  const put = await api.call('PUT', `${LIMITS}/${id}`, { key, body: { ...changed.body, concurrency: 3 } });
  assert.equal(put.status, 200, put.text);
  assert.equal(put.body['created_at'], created.body['created_at']);
  const list = await api.call('GET', LIMITS, { key });
  assert.equal(list.body['data']?.['length'], 1);
  api.setNow(API_TEST_NOW + 3000);
  assert.equal((await api.call('DELETE', `${LIMITS}/${id}`, { key })).status, 204);
  assert.equal((await api.call('GET', `${LIMITS}/${id}`, { key })).status, 404);
  const audit = await api.call('GET', '/api/management/audit', { key });
  assert.match(audit.text, /limits\.delete.*limits\.replace.*limits\.update.*limits\.create/s);
});

test('a budget is stored twice with PUT with one result, and rejected as in floe.yaml', async (t) => {
  const api = await runApi();
  t.after(() => api.close());
  const { key } = await api.addKey('acme');
  const body = { name: 'month', scope: 'org', period: 'month', limit_usd: 12.5 };
  const first = await api.call('PUT', `${BUDGETS}/month`, { key, body });
  assert.equal(first.status, 200, first.text);
  assert.equal(first.body['mode'], 'hard');
  assert.equal(first.body['state']?.['remaining_usd'], '12.5');
  assert.equal(first.body['state']?.['resets_at'], '2026-12-01T00:00:00.000Z');
  const second = await api.call('PUT', `${BUDGETS}/month`, { key, body: first.body });
  assert.deepEqual(second.body, first.body);
  const both = await api.call('POST', BUDGETS, { key, body: { ...body, name: 'x', per: 'key' } });
  assert.equal(both.status, 400);
  assert.equal(both.body['error']?.['param'], 'per');
  const again = await api.call('POST', BUDGETS, { key, body });
  assert.equal(again.status, 409, 'the name is taken');
});

test('a rule for a key or team that does not exist is rejected, and keeps a key that was revoked later', async (t) => {
  const api = await runApi();
  t.after(() => api.close());
  const { key } = await api.addKey('acme');
  const ci = await api.addKey('acme', { name: 'ci' });
  await api.call('POST', '/api/management/teams', { key, body: { id: 'search' } });
  const month = { period: 'month', limit_usd: 1 };
  for (const [path, body, message] of [
    [LIMITS, { scope: 'key', key: 'cii', rpm: 1 }, 'key: this key does not exist; did you mean "ci"?'],
    [LIMITS, { scope: 'team', team: 'zoo', rpm: 1 }, 'team: this team does not exist'],
    [BUDGETS, { name: 'a', scope: 'key', key: 'zoo', ...month }, 'key: this key does not exist'],
    [
      BUDGETS,
      { name: 'a', scope: 'team', team: 'serch', ...month },
      'team: this team does not exist; did you mean "search"?',
    ],
  ] as const) {
    const answer = await api.call('POST', path, { key, body });
    assert.equal(answer.status, 400, answer.text);
    assert.equal(answer.body['error']?.['message'], message);
  }
  const body = { scope: 'key', key: 'ci', rpm: 1 };
  const limit = await api.call('PUT', `${LIMITS}/ci`, { key, body });
  assert.equal(limit.status, 200, limit.text);
  assert.equal((await api.call('DELETE', `/api/management/keys/${ci.id}`, { key })).status, 204);
  const changed = await api.call('PATCH', `${LIMITS}/ci`, { key, body: { rpm: 2 } });
  assert.deepEqual([changed.status, changed.body['rpm']], [200, 2], changed.text);
  assert.equal((await api.call('POST', LIMITS, { key, body })).status, 400, 'a new one does not refer to it');
});

test('a key that rules name cannot be renamed, because the rules would no longer apply to it', async (t) => {
  const api = await runApi();
  t.after(() => api.close());
  const { key } = await api.addKey('acme');
  const ci = await api.addKey('acme', { name: 'ci' });
  const path = `/api/management/keys/${ci.id}`;
  const rules = {
    [`${BUDGETS}/b`]: { name: 'b', scope: 'key', key: 'ci', period: 'month', limit_usd: 1 },
    [`${LIMITS}/l`]: { scope: 'key', key: 'ci', rpm: 1 },
    '/api/management/relay/rules/e': {
      name: 'e',
      on: ['shell'],
      decision: 'deny',
      when: 'true',
      except: [{ who: { keys: ['ci'] }, reason: 'trusted' }],
    },
    '/api/management/relay/rules/r': {
      name: 'r',
      on: ['shell'],
      decision: 'deny',
      when: 'true',
      who: { keys: ['ci'] },
    },
  };
  for (const [rule, body] of Object.entries(rules)) {
    const created = await api.call('PUT', rule, { key, body });
    assert.equal(created.status, 200, created.text);
    const renamed = await api.call('PATCH', path, { key, body: { name: 'other' } });
    assert.equal(renamed.status, 409, renamed.text);
    assert.match(
      renamed.text,
      new RegExp(`because other resources refer to its name: [a-z ]+ ${rule.at(-1)}\\.`),
    );
    assert.equal((await api.call('PATCH', path, { key, body: { name: 'ci' } })).status, 200);
    assert.equal((await api.call('DELETE', rule, { key })).status, 204);
  }
  const pattern = { name: 'p', on: ['shell'], decision: 'deny', when: 'true', who: { keys: ['c*'] } };
  const rule = '/api/management/relay/rules/p';
  assert.equal((await api.call('PUT', rule, { key, body: pattern })).status, 200);
  const other = await api.call('PATCH', path, { key, body: { name: 'other' } });
  assert.equal(other.status, 409, other.text);
  assert.equal((await api.call('PATCH', path, { key, body: { name: 'cd' } })).status, 200);
  assert.equal((await api.call('DELETE', rule, { key })).status, 204);
  const renamed = await api.call('PATCH', path, { key, body: { name: 'other' } });
  assert.deepEqual([renamed.status, renamed.body['name']], [200, 'other']);
});

test('a document cannot rename a key that rules name, unless it also changes these rules', async (t) => {
  const api = await runApi();
  t.after(() => api.close());
  const { key } = await api.addKey('acme');
  const value = generatePlatformKey();
  const apply = (name: string, more: object = {}) => {
    const config = { orgs: [{ id: 'acme', keys: [{ name, key: value, scopes: ['gateway'] }], ...more }] };
    return api.call('POST', '/api/management/config/apply', { key, body: { config } });
  };
  assert.equal((await apply('ci')).status, 200);
  const limit = { name: 'l', scope: 'key', key: 'ci', rpm: 1 };
  assert.equal((await api.call('PUT', `${LIMITS}/l`, { key, body: limit })).status, 200);
  const refused = await apply('renamed');
  assert.deepEqual([refused.status, refused.body.error?.param], [409, 'keys.name'], refused.text);
  assert.match(
    refused.text,
    /keys: The key \\"ci\\" cannot be renamed, because other resources refer to its name: limit l\./,
  );
  const both = await apply('renamed', { limits: [{ ...limit, key: 'renamed' }] });
  assert.equal(both.status, 200, both.text);
});

test('PUT rejects a rule for a team that does not exist, and accepts a key that is created later', async (t) => {
  const api = await runApi();
  t.after(() => api.close());
  const { key } = await api.addKey('acme');
  await api.call('POST', '/api/management/teams', { key, body: { id: 'search' } });
  for (const [path, fields] of [
    [LIMITS, { rpm: 1 }],
    [BUDGETS, { name: 'a', period: 'month', limit_usd: 1 }],
  ] as const) {
    const put = (more: object) => api.call('PUT', `${path}/a`, { key, body: { ...fields, ...more } });
    const misspelled = { scope: 'team', team: 'serch' };
    const rejected = await put(misspelled);
    assert.equal(rejected.status, 400, rejected.text);
    assert.equal(
      rejected.body['error']?.['message'],
      'team: this team does not exist; did you mean "search"?',
    );
    assert.equal((await api.call('GET', `${path}/a`, { key })).status, 404);
    assert.equal((await put({ scope: 'team', team: 'search' })).status, 200);
    assert.equal((await put(misspelled)).status, 400, 'an existing rule');
    assert.equal((await put({ scope: 'key', key: 'later' })).status, 200);
  }
});

test('rules in floe.yaml are shown with their line and are read-only', async (t) => {
  const config = LimitSchema.parse({ name: 'all', scope: 'org', rpm: 10 });
  const api = await runApi({ fileRules: { limits: [{ config, line: 7 }] } });
  t.after(() => api.close());
  const { key } = await api.addKey('acme');
  const [shown] = [(await api.call('GET', LIMITS, { key })).body['data']?.['0']];
  assert.deepEqual(shown?.['source'], { kind: 'file', file: 'floe.yaml', line: 7 });
  for (const [method, body] of [
    ['PATCH', { rpm: 5 }],
    ['PUT', { name: 'all', scope: 'org', rpm: 5 }],
    ['DELETE', undefined],
  ] as const) {
    const answer = await api.call(method, `${LIMITS}/all`, { key, ...(body ? { body } : {}) });
    assert.equal(answer.status, 409, method);
    assert.equal(answer.body['error']?.['code'], 'managed_by_file');
    assert.match(answer.text, /line 7/);
  }
});

test('rules of floe.yaml are first, in order; a list can be sorted, searched and paged', async (t) => {
  const ofFile = ['z-file', 'a-file'].map((name) => LimitSchema.parse({ name, scope: 'org', rpm: 10 }));
  const limits = ofFile.map((config, index) => ({ config, line: index + 1 }));
  const api = await runApi({ fileRules: { limits } });
  t.after(() => api.close());
  const { key } = await api.addKey('acme');
  for (const [index, name] of ['m-first', 'b-second'].entries()) {
    api.setNow(API_TEST_NOW + index);
    await api.call('POST', LIMITS, { key, body: { name, scope: 'org', rpm: 1 } });
  }
  const names = async (query: string) => {
    const { status, text, body } = await api.call('GET', `${LIMITS}${query}`, { key });
    assert.equal(status, 200, text);
    const found = listResponseEntries(body['data']).map((one) => one['name']);
    return body['next_cursor'] === null ? found : [...found, String(body['next_cursor'])];
  };
  assert.deepEqual(await names(''), ['z-file', 'a-file', 'b-second', 'm-first']);
  assert.deepEqual(await names('?sort=name'), ['a-file', 'b-second', 'm-first', 'z-file']);
  assert.deepEqual(await names('?sort=oldest&search=S'), ['m-first', 'b-second']);
  const [one, two, three, cursor] = await names('?limit=3');
  assert.deepEqual([one, two, three], ['z-file', 'a-file', 'b-second']);
  assert.deepEqual(await names(`?limit=3&cursor=${cursor}`), ['m-first']);
  assert.equal((await api.call('GET', `${LIMITS}?cursor=1`, { key })).status, 400);
});

test('another organization can neither read nor change a rule', async (t) => {
  const api = await runApi();
  t.after(() => api.close());
  const { key } = await api.addKey('acme');
  const { key: foreign } = await api.addKey('other');
  await api.call('PUT', `${LIMITS}/mine`, { key, body: { scope: 'org', rpm: 5 } });
  assert.equal((await api.call('GET', `${LIMITS}/mine`, { key: foreign })).status, 404);
  assert.equal((await api.call('DELETE', `${LIMITS}/mine`, { key: foreign })).status, 404);
  assert.equal((await api.call('PATCH', `${LIMITS}/mine`, { key: foreign, body: { rpm: 1 } })).status, 404);
  assert.equal((await api.call('GET', LIMITS, { key: foreign })).body['data']?.['length'], 0);
  const own = await api.call('PUT', `${LIMITS}/mine`, { key: foreign, body: { scope: 'org', rpm: 9 } });
  assert.equal(own.status, 200, 'ids are the org’s own');
  assert.equal((await api.call('GET', `${LIMITS}/mine`, { key })).body['rpm'], 5);
});

test('a member who allows more spending must give a reason and step up, and the audit log has the reason', async (t) => {
  const api = await runApi();
  t.after(() => api.close());
  const { key } = await api.addKey('acme');
  const fresh = await api.addMember('acme', { role: 'admin' });
  const stale = await api.addMember('acme', { role: 'admin', steppedUp: false });
  const body = { name: 'month', scope: 'org', period: 'month', limit_usd: 10 };
  assert.equal((await api.call('PUT', `${BUDGETS}/month`, { key: stale.key, body })).status, 200);
  const raise = (given: object, who = fresh.key) =>
    api.call('PATCH', `${BUDGETS}/month`, { key: who, body: given });
  const silent = await raise({ limit_usd: 20 }, stale.key);
  assert.deepEqual([silent.status, silent.body['error']?.['param']], [400, 'reason']);
  const unsure = await raise({ limit_usd: 20, reason: 'A demo' }, stale.key);
  assert.deepEqual([unsure.status, unsure.body['error']?.['code']], [403, 'step_up_required']);
  const raised = await raise({ limit_usd: 20, reason: 'A demo' });
  assert.equal(raised.status, 200, raised.text);
  assert.equal('reason' in raised.body, false, 'it is of the change, not of the budget');
  assert.equal((await raise({ limit_usd: 15 }, stale.key)).status, 200, 'less is nobody’s question');
  assert.equal((await raise({ limit_usd: 16 }, key)).status, 200, 'a key is asked neither');
  assert.equal((await api.call('DELETE', `${BUDGETS}/month`, { key: fresh.key })).status, 400);
  const gone = `${BUDGETS}/month?reason=${encodeURIComponent('No longer needed')}`;
  assert.equal((await api.call('DELETE', gone, { key: fresh.key })).status, 204);
  const audit = await api.call('GET', '/api/management/audit?subject=month', { key });
  const reasons = [0, 1, 2, 3, 4].map((n) => audit.body['data']?.[n]?.['reason'] ?? '');
  assert.deepEqual(reasons.toSorted(), ['', '', '', 'A demo', 'No longer needed']);
  const chain = await api.call('GET', '/api/management/audit/chain', { key });
  assert.equal(chain.body['valid'], true);
});

test('a document that raises a budget is applied with a reason, and previewed without one', async (t) => {
  const api = await runApi();
  t.after(() => api.close());
  const member = await api.addMember('acme', { role: 'admin' });
  const budget = { name: 'month', scope: 'org', period: 'month', limit_usd: 10 };
  await api.call('PUT', `${BUDGETS}/month`, { key: member.key, body: budget });
  const config = { orgs: [{ id: 'acme', budgets: [{ ...budget, limit_usd: 50 }] }] };
  const post = (action: string, more: object = {}) =>
    api.call('POST', `/api/management/config/${action}`, { key: member.key, body: { config, ...more } });
  assert.equal((await post('diff')).status, 200);
  const silent = await post('apply');
  assert.deepEqual([silent.status, silent.body['error']?.['param']], [400, 'budgets/month.reason']);
  const applied = await post('apply', { reason: 'The quarter begins' });
  assert.equal(applied.status, 200, applied.text);
  const audit = await api.call('GET', '/api/management/audit?action=config.apply', { key: member.key });
  assert.equal(audit.body['data']?.[0]?.['reason'], 'The quarter begins');
  const changes = await api.call('GET', '/api/management/audit?action=budgets.replace', { key: member.key });
  assert.match(changes.text, /"reason":"The quarter begins"/);
});
