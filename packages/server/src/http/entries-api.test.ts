import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FloeConfigSchema } from '@floe/contract/config';
import type { JsonObject } from '@floe/contract/json';
import { decryptStoredProvider } from '../platform/config/stored-config.ts';
import { listConfigEntriesOfOrg } from '../store/config-entries.ts';
import { listResponseEntries, type ResponseJson, runApi } from './test/running-api.ts';
import { apiTestSecretsKey } from './test/test-api-parts.ts';

const KEY = 'sk-a-key-that-must-never-be-shown-4321';
const MAIN = {
  id: 'main',
  kind: 'openai-compatible',
  base_url: 'http://127.0.0.1:9/v1',
  api_key: KEY,
  headers: { 'x-extra': 'also-a-secret' },
};
const PROXIED = { ...MAIN, outbound: { proxy: 'http://floe:also-a-secret@127.0.0.1:3128' } };

async function start(t: TestContext, org?: object, isOnlyOrg = false) {
  const [config] = org ? FloeConfigSchema.parse({ orgs: [{ id: 'acme', ...org }] }).orgs : [];
  const api = await runApi({ isOnlyOrg, ...(config && { org: config }) });
  t.after(() => api.close());
  const { key, id } = await api.addKey('acme', { scopes: ['management', 'gateway'] });
  const ask = (method: string, path: string, body?: unknown) =>
    api.call(method, `/api/management/${path}`, { key, body });
  const simulate = async (model: string) => {
    const { body } = await ask('POST', 'routes/simulate', { request: { model, messages: [] } });
    return listResponseEntries(body['targets']).map((target) => `${target['provider']}/${target['model']}`);
  };
  return { ...api, ask, simulate, keyId: id };
}

const said = ({ status, body }: { status: number; body: ResponseJson }) =>
  `${status} ${body?.['error']?.['code']} ${body?.['error']?.['param']}: ${body?.['error']?.['message']}`;

test('a provider and a route that the API created are active when the API responds, and gone after their removal', async (t) => {
  const { ask, simulate, keyId } = await start(t);
  const made = await ask('POST', 'providers', MAIN);
  assert.equal(made.status, 201, made.text);
  assert.equal(made.body['updated_by'], keyId);
  assert.equal(made.body['origin'], 'http://127.0.0.1:9');
  assert.deepEqual(await simulate('main/large'), ['main/large']);
  assert.equal((await ask('POST', 'routes', { model: 'smart', targets: ['main/large'] })).status, 201);
  assert.deepEqual(await simulate('smart'), ['main/large']);
  await ask('PATCH', 'routes/smart', { targets: ['main/small', 'main/large'] });
  assert.deepEqual(await simulate('smart'), ['main/small', 'main/large']);
  assert.match(said(await ask('DELETE', 'providers/main')), /^409 conflict .*"smart"/);
  assert.equal((await ask('DELETE', 'routes/smart')).status, 204);
  assert.equal((await ask('DELETE', 'providers/main')).status, 204);
  assert.deepEqual(await simulate('main/large'), []);
});

test('a draft of a route is simulated instead of the stored one, and not stored', async (t) => {
  const { ask, simulate } = await start(t);
  await ask('POST', 'providers', MAIN);
  await ask('POST', 'routes', { model: 'smart', targets: ['main/large'] });
  const tried = async (draft: object, more: object = {}) => {
    const model = 'model' in draft ? draft.model : 'smart';
    const { body } = await ask('POST', 'routes/simulate', {
      request: { model, messages: [] },
      draft,
      ...more,
    });
    return body['error']
      ? `${body['error']['code']} ${body['error']['param']}`
      : listResponseEntries(body['targets'])
          .map((target) => target['model'])
          .join();
  };
  assert.equal(await tried({ model: 'smart', targets: ['main/small', 'main/large'] }), 'small,large');
  assert.equal(await tried({ model: 'new-name', targets: ['main/small'] }, { replaces: 'smart' }), 'small');
  assert.equal(await tried({ model: 'another', targets: ['main/small'] }), 'small');
  assert.equal(await tried({ model: 'smart', targets: ['main/small'], enabled: false }), '');
  assert.equal(await tried({ model: 'smart', targets: ['nobody/small'] }), 'invalid_request targets[0]');
  assert.equal(await tried({ model: 'smart', targets: [] }), 'invalid_request targets');
  assert.deepEqual(await simulate('smart'), ['main/large']);
  assert.deepEqual(await simulate('another'), []);
});

test('no response, audit entry or column contains a key or a header of a provider', async (t) => {
  const { ask, database } = await start(t, undefined, true);
  const texts = [
    (await ask('POST', 'providers', PROXIED)).text,
    (await ask('POST', 'providers/main/credentials', { name: 'eu', api_key: `${KEY}-too` })).text,
    (await ask('PATCH', 'providers/main/credentials/eu', { api_key: `${KEY}-rotated` })).text,
    (await ask('PUT', 'providers/main', { ...PROXIED, api_key: undefined })).text,
    (await ask('GET', 'providers')).text,
    (await ask('GET', 'providers/main/credentials')).text,
    (await ask('GET', 'audit')).text,
    JSON.stringify(await database.read.selectFrom('config_entries').selectAll().execute()),
    JSON.stringify(await database.read.selectFrom('provider_credentials').selectAll().execute()),
  ];
  for (const text of texts) assert.doesNotMatch(text, /must-never-be-shown|also-a-secret/);
  const { body } = await ask('GET', 'providers/main');
  assert.deepEqual(
    listResponseEntries(body['credentials']).map((one) => `${one['name']} ${one['last4']} ${one['origin']}`),
    ['default 4321 http://127.0.0.1:9', 'eu ated http://127.0.0.1:9'],
  );
  assert.deepEqual(body['header_names'], ['x-extra']);
});

test('the audit log states that a key or a header of a provider was replaced', async (t) => {
  const { ask } = await start(t);
  await ask('POST', 'providers', MAIN);
  const last = async () => {
    const entries: { seq: number; after: JsonObject }[] = JSON.parse((await ask('GET', 'audit')).text).data;
    return entries.sort((one, other) => other.seq - one.seq)[0]?.after ?? {};
  };
  await ask('PATCH', 'providers/main/credentials/default', { api_key: `${KEY}-rotated` });
  assert.equal((await last())['key'], 'replaced');
  // Its last four characters, which are shown, may well be the same.
  await ask('PATCH', 'providers/main/credentials/default', { api_key: `another-${KEY}-rotated` });
  assert.equal((await last())['key'], 'replaced');
  await ask('PATCH', 'providers/main/credentials/default', { weight: 3 });
  assert.equal((await last())['key'], undefined);
  await ask('PATCH', 'providers/main', { api_key: `${KEY}-third` });
  assert.deepEqual((await last())['keys_replaced'], ['default']);
  await ask('PATCH', 'providers/main', { headers: { 'x-extra': 'another secret' } });
  assert.deepEqual([(await last())['secrets'], (await last())['keys_replaced']], ['replaced', undefined]);
});

test('the response of GET can be sent with PUT unchanged, and sending it again changes nothing', async (t) => {
  const { ask, database } = await start(t, undefined, true);
  await ask('POST', 'providers', PROXIED);
  await ask('POST', 'routes', { model: 'a/*', retries: 1 });
  await ask('POST', 'policies', {
    name: 'cap',
    on: 'request',
    when: 'request.max_tokens > 8',
    action: 'deny',
  });
  const audits = async () => (await database.read.selectFrom('audit').select('id').execute()).length;
  const before = await audits();
  for (const path of ['providers/main', 'routes/a%2F*', 'policies/cap']) {
    const shown = await ask('GET', path);
    assert.equal(shown.status, 200, shown.text);
    const put = await ask('PUT', path, shown.body);
    assert.equal(put.status, 200, put.text);
    assert.deepEqual(put.body, shown.body);
    assert.deepEqual((await ask('GET', path)).body, shown.body);
  }
  assert.equal(await audits(), before);
});

test('the user and password of a proxy are kept if its URL is sent unchanged, and are sent to no other proxy', async (t) => {
  const { ask, database } = await start(t, undefined, true);
  await ask('POST', 'providers', PROXIED);
  const shown = (await ask('GET', 'providers/main')).body['outbound'];
  assert.equal(shown?.['proxy'], 'http://127.0.0.1:3128');
  const proxyInUse = async () => {
    const [row] = await listConfigEntriesOfOrg(database.read, 'acme', 'providers');
    return row && decryptStoredProvider(row, [], apiTestSecretsKey).outbound?.proxy;
  };
  assert.equal(await proxyInUse(), PROXIED.outbound.proxy);
  assert.equal((await ask('PATCH', 'providers/main', { models: ['m'] })).status, 200);
  assert.equal(await proxyInUse(), PROXIED.outbound.proxy, 'after a change of another field');
  assert.equal(
    (await ask('PATCH', 'providers/main', { outbound: { ...shown, no_proxy: 'a.example' } })).status,
    200,
  );
  assert.equal(await proxyInUse(), PROXIED.outbound.proxy, 'after a change beside it');
  const other = { ...shown, proxy: 'http://127.0.0.1:3129' };
  assert.equal((await ask('PATCH', 'providers/main', { outbound: other })).status, 200);
  assert.equal(await proxyInUse(), 'http://127.0.0.1:3129');
  const given = { ...shown, proxy: 'http://new:one@127.0.0.1:3129' };
  const changed = await ask('PATCH', 'providers/main', { outbound: given });
  assert.equal(changed.body['outbound']?.['proxy'], 'http://127.0.0.1:3129');
  assert.equal(await proxyInUse(), given.proxy);
});

test('an export names the user and password of a proxy, and applying it without them keeps them', async (t) => {
  const { ask } = await start(t, undefined, true);
  await ask('POST', 'providers', PROXIED);
  const { text } = await ask('GET', 'config/export');
  assert.match(text, /proxy: "?http:\/\/\$\{PROVIDER_MAIN_PROXY\}@127\.0\.0\.1:3128/);
  assert.doesNotMatch(text, /also-a-secret/);
  const answer = await ask('POST', 'config/diff', { yaml: text, variables: {} });
  assert.deepEqual(answer.body['changes'], [], answer.text);
});

test('a key is sent only to the URL that it was stored for', async (t) => {
  const { ask, simulate, database } = await start(t);
  await ask('POST', 'providers', MAIN);
  const elsewhere = { base_url: 'http://127.0.0.1:10/v1' };
  assert.match(
    said(await ask('PATCH', 'providers/main', elsewhere)),
    /^400 invalid_request credentials\[0\]\.api_key: .*must be sent again/,
  );
  const withKeys = {
    ...elsewhere,
    credentials: [{ name: 'default', api_key: 'another-key-of-some-length' }],
  };
  assert.match(said(await ask('PATCH', 'providers/main', withKeys)), /^400 invalid_request headers: /);
  const moved = await ask('PATCH', 'providers/main', { ...withKeys, headers: {} });
  assert.equal(moved.status, 200, moved.text);
  assert.equal(moved.body['origin'], 'http://127.0.0.1:10');
  assert.equal((await ask('PATCH', 'providers/main', { base_url: 'http://127.0.0.1:10/v2' })).status, 200);
  // Whoever writes to the database cannot move a key either.
  await database.transaction((writer) =>
    writer
      .updateTable('config_entries')
      .set({ entry_json: JSON.stringify({ ...MAIN, api_key: undefined, headers: undefined }) })
      .where('id', '=', 'main')
      .execute(),
  );
  await ask('POST', 'routes', { model: 'smart', targets: ['main/m'] });
  assert.deepEqual(await simulate('smart'), ['main/m']);
  assert.deepEqual(
    listResponseEntries((await ask('GET', 'providers/main')).body['credentials']).map((one) => one['origin']),
    ['http://127.0.0.1:10'],
  );
});

test('an entry that cannot work is rejected with the field and the message of floe config check', async (t) => {
  const { ask } = await start(t);
  await ask('POST', 'providers', MAIN);
  const cases: [string, object, string][] = [
    [
      'providers',
      { id: 'x', kind: 'opnai' },
      '400 invalid_request kind: kind: is not a valid value; did you mean "openai"?',
    ],
    [
      'providers',
      { id: 'x', kind: 'vllm' },
      '400 invalid_request base_url: base_url: is required for kind vllm',
    ],
    [
      'providers',
      { id: 'X', kind: 'openai' },
      '400 invalid_request id: id: must start with a lowercase letter or a digit, contain only lowercase letters, digits, ".", "_" and "-", and have at most 64 characters',
    ],
    [
      'providers',
      { id: 'x', kind: 'openai', modles: ['a'] },
      '400 invalid_request modles: unknown key "modles"; did you mean "models"?',
    ],
    [
      'providers',
      { id: 'x', kind: 'openai', region: 'x/#' },
      '400 invalid_request region: region: must consist of 1 to 64 letters, digits and hyphens, such as eu-west-1',
    ],
    [
      'routes',
      { model: 'smart' },
      '400 invalid_request targets: targets: must have at least one target, because the model is an alias (a name without / or *)',
    ],
    [
      'routes',
      { model: 'smart', targets: ['mian/m'] },
      '400 invalid_request targets[0]: targets[0]: this provider does not exist; did you mean "main"?',
    ],
    [
      'routes',
      { model: 'smart', targets: ['main/m'], retries: 99 },
      '400 invalid_request retries: retries: must be at most 10',
    ],
    [
      'policies',
      { name: 'x', on: 'request', action: 'deny' },
      '400 invalid_request null: must have at least one of the fields detect and when',
    ],
    [
      'providers',
      { id: 'main', kind: 'openai' },
      '409 conflict id: The provider "main" already exists. Choose another id.',
    ],
    [
      'providers',
      { id: 'x', kind: 'openai', client_cert: { cert_file: '/a', key_file: '/b' } },
      '400 invalid_request client_cert: client_cert: can be set only in floe.yaml, because this setting gives access to the machine, which several organizations share',
    ],
  ];
  for (const [path, body, expected] of cases) assert.equal(said(await ask('POST', path, body)), expected);
  const condition = { name: 'x', on: 'request', when: 'request.', action: 'deny' };
  assert.match(said(await ask('POST', 'policies', condition)), /^400 invalid_request when: when: /);
});

test('resources in floe.yaml are read-only with their line, also if the API created a resource with the same id', async (t) => {
  const file = {
    providers: [{ id: 'main', kind: 'sandbox' }],
    routes: [{ model: 'smart', targets: ['main/echo'] }],
    policies: [{ name: 'cap', on: 'request', when: 'true', action: 'flag' }],
  };
  const { ask } = await start(t, file);
  for (const path of ['providers/main', 'routes/smart', 'policies/cap'])
    for (const method of ['PATCH', 'PUT', 'DELETE'])
      assert.match(
        said(await ask(method, path, method === 'DELETE' ? undefined : {})),
        /^409 managed_by_file .*floe\.yaml, line 10/,
      );
  assert.match(
    said(await ask('POST', 'providers/main/credentials', { name: 'x', api_key: 'y' })),
    /^409 managed_by_file/,
  );
});

test('policies have the order of the list: those of the file first, then as positioned', async (t) => {
  const { ask } = await start(t, {
    policies: [{ name: 'first', on: 'request', when: 'true', action: 'flag' }],
  });
  const names = async () =>
    listResponseEntries((await ask('GET', 'policies')).body['data']).map(
      (one) => `${one['position']} ${one['name']}`,
    );
  const draft = { on: 'request', when: 'true', action: 'flag' };
  for (const name of ['b', 'c', 'd']) await ask('POST', 'policies', { ...draft, name });
  assert.deepEqual(await names(), ['0 first', '1 b', '2 c', '3 d']);
  const moved = await ask('PATCH', 'policies/d', { position: 1 });
  assert.equal(moved.body['position'], 1);
  assert.deepEqual(await names(), ['0 first', '1 d', '2 b', '3 c']);
  await ask('POST', 'policies', { ...draft, name: 'e', position: 0 });
  await ask('PATCH', 'policies/b', { name: 'renamed', mode: 'enforce' });
  assert.deepEqual(await names(), ['0 first', '1 e', '2 d', '3 renamed', '4 c']);
  assert.match(said(await ask('PATCH', 'policies/c', { name: 'd' })), /^409 conflict name/);
});

test('settings are changed by section, state their source, and can be reset to their default', async (t) => {
  const { ask, keyId, database } = await start(t, { providers: [{ id: 'main', kind: 'sandbox' }] });
  const changed = await ask('PATCH', 'settings', {
    bodies: { keep: true },
    analytics: { metadata_keys: ['project'] },
    passthrough: { a: 'main' },
  });
  assert.equal(changed.status, 200, changed.text);
  assert.deepEqual(changed.body['bodies'], { keep: true, redact: true });
  assert.deepEqual(changed.body['passthrough'], { a: [{ provider: 'main', model_map: {} }], b: [] });
  assert.equal(changed.body['sources']?.['bodies']?.['updated_by'], keyId);
  assert.equal(changed.body['sources']?.['ide']?.['updated_at'], null);
  const [org] = await database.read.selectFrom('orgs').selectAll().where('id', '=', 'acme').execute();
  assert.equal(org?.metadata_keys_json, '["project"]');
  assert.deepEqual((await ask('PATCH', 'settings', changed.body)).body, changed.body);
  const back = await ask('PATCH', 'settings', { bodies: null, analytics: null });
  assert.deepEqual(
    [back.body['bodies'], back.body['analytics']],
    [{ keep: false, redact: true }, { metadata_keys: [] }],
  );
  for (const [body, expected] of [
    [
      { passthrough: { b: 'mian' } },
      '400 invalid_request passthrough.b: passthrough.b: this provider does not exist; did you mean "main"?',
    ],
    [{ bodies: { keep: 'yes' } }, '400 invalid_request bodies.keep: bodies.keep: must be true or false'],
    [{ boddies: {} }, '400 invalid_request boddies: unknown key "boddies"; did you mean "bodies"?'],
  ] as const)
    assert.equal(said(await ask('PATCH', 'settings', body)), expected);
});

test('the cache is enabled with the API, and an invalid lifetime is rejected', async (t) => {
  const { ask } = await start(t);
  assert.equal((await ask('GET', 'cache')).body['enabled'], false);
  const on = await ask('PATCH', 'cache', { enabled: true, ttl_seconds: 60 });
  assert.deepEqual([on.body['enabled'], on.body['ttl_seconds'], on.body['scope']], [true, 60, 'key']);
  assert.deepEqual((await ask('PATCH', 'cache', on.body)).body, on.body);
  assert.match(
    said(await ask('PATCH', 'cache', { ttl_seconds: 0 })),
    /^400 invalid_request cache\.ttl_seconds|^400 invalid_request ttl_seconds/,
  );
});
