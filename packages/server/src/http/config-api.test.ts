import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { API_TEST_NOW, listResponseEntries, type ResponseJson, runApi } from './test/running-api.ts';

const SECRETS = {
  PROVIDER_MAIN_DEFAULT_KEY: 'sk-a-key-that-must-never-be-shown-4321',
  PROVIDER_MAIN_HEADER_X_EXTRA: 'also-a-secret',
  CHANNEL_OPS_URL: 'http://127.0.0.1:9/secret-path',
};
const YAML = `
server: { port: 1 }
orgs:
  - id: acme
    bodies: { keep: true }
    cache: { enabled: true, ttl_seconds: 60 }
    passthrough: { a: main }
    teams: [{ id: growth, cost_center: "4711" }]
    providers:
      - id: main
        kind: openai-compatible
        base_url: http://127.0.0.1:9/v1
        api_key: "\${PROVIDER_MAIN_DEFAULT_KEY}"
        headers: { x-extra: "\${PROVIDER_MAIN_HEADER_X_EXTRA}" }
        prices: { large: { input: 1, output: 2 } }
      - { id: spare, kind: sandbox }
    routes:
      - { model: smart, targets: [main/large, { model: spare/echo, weight: 2 }], strategy: weighted }
      - { model: "main/*", retries: 0 }
    policies:
      - { name: cap, on: request, when: request.max_tokens > 8, action: deny, mode: enforce }
      - { name: mail, on: request, detect: { pii: [email] }, action: flag }
    limits:
      - { scope: org, rpm: 600 }
      - { name: growth, scope: team, team: growth, tpm: 1000 }
    budgets: [{ name: month, scope: org, period: month, limit_usd: 100 }]
    channels: [{ name: ops, kind: webhook, url: "\${CHANNEL_OPS_URL}" }]
    monitors: [{ id: nightly, expected_interval_minutes: 60, channels: [ops] }]
    boards: [{ slug: status, public: true, groups: [{ name: Jobs, monitors: [nightly] }] }]
`;

async function start(t: TestContext) {
  const api = await runApi();
  t.after(() => api.close());
  const { key } = await api.addKey('acme', {
    scopes: ['management', 'monitoring', 'gateway'],
    name: 'admin',
  });
  const call = (method: string, path: string, body?: unknown) =>
    api.call(method, `/api/${path}`, { key, body });
  const ask = (action: 'diff' | 'apply', yaml: string, more: object = {}) =>
    call('POST', `management/config/${action}`, { yaml, variables: SECRETS, ...more });
  const exported = async () => (await call('GET', 'management/config/export')).text;
  const me = (by: string) => api.call('GET', '/api/me', { key: by });
  return { ...api, call, ask, exported, me };
}

const told = (answer: { body: ResponseJson }) =>
  listResponseEntries(answer.body['changes']).map(
    (change) => `${change['action']} ${change['kind']}/${change['id']}`,
  );

const ALL = [
  'created teams/growth',
  'created channels/ops',
  'created monitors/nightly',
  'created boards/status',
  'created providers/main',
  'created providers/spare',
  'changed settings/bodies',
  'changed settings/passthrough',
  'changed cache/cache',
  'created routes/smart',
  'created routes/main/*',
  'created policies/cap',
  'created policies/mail',
  /created limits\/limit-/,
  'created limits/growth',
  'created budgets/month',
];

/** Lists whose entries have a text of their own. */
const LISTS = [
  'management/teams',
  'management/providers',
  'management/routes',
  'management/policies',
  'management/limits',
  'management/budgets',
  'monitoring/channels',
  'monitoring/monitors',
  'monitoring/boards',
];
test('the configuration is exported in a worker thread', async (t) => {
  const { evaluationPool, exported } = await start(t);
  const run = t.mock.method(evaluationPool, 'run');
  assert.match(await exported(), /^# The current configuration of the organization "acme"/);
  assert.deepEqual(
    run.mock.calls.map(({ arguments: [, task] }) => task),
    ['formatOrg'],
  );
});

test('each resource can be exported alone, with the same content and without secrets', async (t) => {
  const { ask, call } = await start(t);
  assert.equal((await ask('apply', YAML)).status, 200);
  for (const path of LISTS) {
    const [, kind = ''] = path.split('/');
    const rows = listResponseEntries((await call('GET', path)).body['data']);
    assert.ok(rows.length > 0, kind);
    for (const row of rows) {
      const id = String(row['id'] ?? row['slug']);
      const at = `management/config/entries/${kind}/${encodeURIComponent(id)}`;
      const { status, body, text } = await call('GET', at);
      assert.equal(status, 200, text);
      assert.doesNotMatch(text, /must-never|also-a-secret|secret-path/);
      const below = String(body['yaml']).replace(/^(?=.)/gm, '    ');
      const same = await ask('diff', `orgs:\n  - id: acme\n${below}`);
      // Alone in its section it stands first, wherever it stood before.
      const others = listResponseEntries(same.body['changes']).filter(
        ({ fields }) => String(fields) !== 'position',
      );
      assert.deepEqual(others, [], `${kind}/${id}: ${same.text}`);
      assert.ok(!same.text.includes('"created"'), same.text);
    }
  }
  assert.equal((await call('GET', 'management/config/entries/routes/none')).status, 404);
  assert.equal((await call('GET', 'management/config/entries/settings/cache')).status, 400);
});

test('diff shows what apply does and changes nothing; a second apply changes nothing', async (t) => {
  const { ask, call, database } = await start(t);
  const diff = await ask('diff', YAML);
  assert.equal(diff.status, 200, diff.text);
  const expected = (lines: readonly string[]) => {
    assert.equal(lines.length, ALL.length, lines.join('\n'));
    for (const [at, line] of lines.entries()) {
      const wanted = ALL[at];
      if (wanted instanceof RegExp) assert.match(line, wanted);
      else assert.equal(line, wanted);
    }
  };
  expected(told(diff));
  assert.match(String(diff.body['ignored']), /server: applies to the whole installation/);
  assert.equal(
    (await database.read.selectFrom('audit').selectAll().where('org_id', '=', 'acme').execute()).length,
    0,
  );
  assert.equal(listResponseEntries((await call('GET', 'management/providers')).body['data']).length, 0);
  const applied = await ask('apply', YAML);
  assert.equal(applied.status, 200, applied.text);
  expected(told(applied));
  const again = await ask('apply', YAML);
  assert.deepEqual([told(again), again.body['unchanged']], [[], ALL.length]);
  assert.doesNotMatch(diff.text + applied.text + again.text, /must-never|also-a-secret|secret-path/);
  const audit = await call('GET', 'management/audit?limit=500');
  for (const action of ['config.apply', 'providers.replace', 'boards.replace', 'limits.replace'])
    assert.match(audit.text, new RegExp(`"action":"${action}"`));
});

test('a changed secret is a change with audit entries, although no field shows it', async (t) => {
  const { ask, call, setNow } = await start(t);
  await ask('apply', YAML);
  setNow(API_TEST_NOW + 1_000);
  const entries = async () => {
    const { body } = await call('GET', 'management/audit?limit=500');
    return listResponseEntries(body['data']).map(({ action, subject }) => `${action} ${subject}`);
  };
  const before = await entries();
  const variables = {
    ...SECRETS,
    // Both end and begin as before.
    PROVIDER_MAIN_DEFAULT_KEY: 'sk-a-key-that-must-never-be-told-4321',
    CHANNEL_OPS_URL: 'http://127.0.0.1:9/another-path',
  };
  const rotated = await ask('apply', YAML, { variables });
  assert.deepEqual(told(rotated), ['changed channels/ops', 'changed providers/main']);
  assert.doesNotMatch(rotated.text, /be-told|another-path/);
  const added = (await entries()).slice(0, -before.length);
  const { id } = (await call('GET', 'monitoring/channels/ops')).body;
  assert.deepEqual(added.sort(), [`channels.replace ${id}`, 'config.apply acme', 'providers.replace main']);
  assert.deepEqual(told(await ask('apply', YAML, { variables })), []);
});

test('pruning removes what a section does not contain, and leaves absent sections unchanged', async (t) => {
  const { ask, call } = await start(t);
  await ask('apply', YAML);
  const fewer = `
orgs:
  - id: acme
    providers: [{ id: spare, kind: sandbox }]
    routes: []
    passthrough: {}
`;
  const kept = await ask('apply', fewer);
  assert.deepEqual(told(kept), ['changed settings/passthrough']);
  const pruned = await ask('apply', fewer, { prune: true });
  assert.deepEqual(told(pruned).sort(), [
    'removed providers/main',
    'removed routes/main/*',
    'removed routes/smart',
  ]);
  assert.equal(listResponseEntries((await call('GET', 'monitoring/monitors')).body['data']).length, 1);
});

test('a document with one mistake changes nothing and is rejected with the position', async (t) => {
  const { ask, call } = await start(t);
  for (const [yaml, expected] of [
    [
      YAML.replace('kind: sandbox', 'kind: sandbx'),
      /orgs\[0\]\.providers\[1\]\.kind: is not a valid value; did you mean "sandbox"\?/,
    ],
    [
      YAML.replace('main/large', 'mian/large'),
      /floe\.yaml:18:.*this provider does not exist; did you mean "main"/,
    ],
    [
      YAML.replace('id: acme', 'id: someone\n  - id: else'),
      /must contain exactly one organization, or an organization with the id "acme"/,
    ],
    [
      'orgs: [{ id: acme, monitors: [{ id: a, expected_interval_minutes: 5, channels: [x] }] }]',
      /this channel does not exist/,
    ],
    ['orgs: [{ id: acme, providers: [{ id: a, kind: openai, base_url: "${HOME}" }] }]', /HOME is not set/],
    ['orgs: [{ id: acme, channels: [{ name: a, kind: slack, url: "${NOT_GIVEN}" }] }]', /url/],
    [
      'orgs: [{ id: acme, providers: [{ id: a, kind: openai, api_key: "${NOT_GIVEN}" }] }]',
      /NOT_GIVEN: the key of the credential "default" of the provider "a"/,
    ],
    ['nonsense: [', /./],
  ] as const)
    for (const action of ['diff', 'apply'] as const) {
      const { status, body, text } = await ask(action, yaml);
      assert.equal(status, 400, text);
      assert.match(String(body['error']?.['message']), expected);
    }
  assert.equal(listResponseEntries((await call('GET', 'monitoring/channels')).body['data']).length, 0);
  const { body } = await call('GET', 'management/config');
  assert.equal(body['rejected'], null);
  assert.deepEqual(body['counts']?.['providers'], { file: 0, console: 0 });
  assert.deepEqual(body['counts']?.['relay_rules'], { file: 0, console: 0 });
});

test('all missing secrets are listed together with their purpose, and nothing is applied', async (t) => {
  const { ask, call } = await start(t);
  const yaml = YAML.replace(
    'boards:',
    `keys: [{ name: ci, key: "\${CI_KEY}", scopes: [gateway] }]
    boards:`,
  );
  for (const action of ['diff', 'apply'] as const) {
    const { status, text, body } = await ask(action, yaml, { variables: {} });
    assert.equal(status, 400, text);
    assert.equal(body['error']?.['param'], 'variables');
    assert.equal(
      body['error']?.['message'],
      `Some secrets have no value and are not stored yet. Set these variables:
  PROVIDER_MAIN_DEFAULT_KEY: the key of the credential "default" of the provider "main"
  PROVIDER_MAIN_HEADER_X_EXTRA: the header x-extra of the provider "main"
  CHANNEL_OPS_URL: the url of the channel "ops"
  CI_KEY: the platform key "ci"`,
    );
  }
  assert.equal(listResponseEntries((await call('GET', 'management/providers')).body['data']).length, 0);
  const plain = yaml.replace('"4711"', '"${COST}"').replace('rpm: 600', 'rpm: "${RPM}"');
  const { text } = await ask('apply', plain, { variables: {} });
  for (const name of ['COST', 'RPM', 'PROVIDER_MAIN_DEFAULT_KEY', 'CHANNEL_OPS_URL', 'CI_KEY'])
    assert.match(text, new RegExp(`\\b${name} is not set`));
  assert.equal((await ask('apply', YAML)).status, 200);
  assert.deepEqual(told(await ask('apply', YAML, { variables: {} })), [], 'a stored secret is not missing');
  const more = YAML.replace(
    'api_key: "${PROVIDER_MAIN_DEFAULT_KEY}"',
    'credentials: [{ name: default, api_key: "${PROVIDER_MAIN_DEFAULT_KEY}" }, { name: spare, api_key: "${SPARE}" }]',
  );
  const added = await ask('apply', more, { variables: {} });
  assert.match(added.text, /SPARE: the key of the credential \\"spare\\" of the provider \\"main\\"/);
  assert.doesNotMatch(added.text, /PROVIDER_MAIN_DEFAULT_KEY/);
});

test('an export omits references to deleted resources, can be applied and changes nothing else', async (t) => {
  const { ask, call, exported, addKey, setNow } = await start(t);
  await ask('apply', YAML);
  const url = 'http://127.0.0.1:9/old';
  const old = await call('POST', 'monitoring/channels', { name: 'old', kind: 'slack', url });
  await call('PATCH', 'monitoring/monitors/nightly', { channels: ['ops', 'old'] });
  await call('DELETE', `monitoring/channels/${old.body['id']}`);
  await call('PUT', 'monitoring/monitors/gone', { expected_interval_minutes: 60 });
  const board = `monitoring/boards/${listResponseEntries((await call('GET', 'monitoring/boards')).body['data'])[0]?.['id']}`;
  await call('PATCH', board, { groups: [{ name: 'Jobs', monitors: ['gone', 'nightly'] }] });
  assert.equal((await call('DELETE', 'monitoring/monitors/gone')).status, 204);
  assert.equal((await call('PATCH', 'monitoring/channels/ops', { enabled: false })).body['enabled'], false);
  await call('PUT', 'management/teams/closed', { name: 'Closed' });
  const soon = API_TEST_NOW + 1_000;
  await addKey('acme', { name: 'short', expires_at: soon, team: 'closed' });
  await addKey('acme', { name: 'unnamed', expires_at: soon });
  const limit = await call('POST', 'management/limits', { scope: 'key', key: 'short', rpm: 5 });
  assert.equal(limit.status, 201, limit.text);
  setNow(soon + 1_000);
  const removed = await call('DELETE', 'management/teams/closed');
  assert.equal(removed.status, 204, removed.text);
  // The name of an expired key is free.
  await addKey('acme', { name: 'unnamed' });
  for (const [kind, id, name] of [
    ['monitors', 'nightly', 'ops'],
    ['boards', 'status', 'nightly'],
  ]) {
    const { yaml } = (await call('GET', `management/config/entries/${kind}/${id}`)).body;
    assert.match(String(yaml), new RegExp(`- ${name}\n`));
    assert.doesNotMatch(String(yaml), /- old\n|- gone\n/);
  }
  const text = await exported();
  assert.match(text, /kind: webhook\n +enabled: false\n/);
  assert.match(text, /- name: short\n/);
  assert.equal(text.match(/- name: unnamed\n/g)?.length, 1);
  const applied = await ask('apply', text, { variables: {}, prune: true });
  assert.equal(applied.status, 200, applied.text);
  assert.deepEqual(told(applied), ['changed monitors/nightly', 'changed boards/status']);
  assert.deepEqual((await call('GET', 'monitoring/monitors/nightly')).body['channels'], ['ops']);
  assert.deepEqual((await call('GET', board)).body['groups'], [{ name: 'Jobs', monitors: ['nightly'] }]);
  assert.equal((await call('GET', 'monitoring/channels/ops')).body['enabled'], false);
  assert.deepEqual(told(await ask('apply', YAML)), ['changed channels/ops']);
});

test('a long document removes a deleted channel from a monitor', async (t) => {
  const { ask, call } = await start(t);
  const routes = Array.from({ length: 60 }, (_, n) => `      - { model: m${n}, targets: [spare/echo] }\n`);
  const yaml = YAML.replace('    routes:\n', (line) => line + routes.join(''));
  await ask('apply', yaml);
  const url = 'http://127.0.0.1:9/old';
  const old = await call('POST', 'monitoring/channels', { name: 'old', kind: 'slack', url });
  await call('PATCH', 'monitoring/monitors/nightly', { channels: ['ops', 'old'] });
  await call('DELETE', `monitoring/channels/${old.body['id']}`);
  assert.deepEqual(told(await ask('apply', yaml)), ['changed monitors/nightly']);
});

test('a header is never left unchanged silently because another one has no value', async (t) => {
  const { ask, exported } = await start(t);
  const withTeam = (team: string) =>
    YAML.replace('headers: {', `headers: { ${team === '' ? '' : `x-team: ${team}, `}`);
  await ask('apply', withTeam('blue'));
  assert.deepEqual(told(await ask('apply', withTeam('blue'), { variables: {} })), []);
  for (const team of ['green', '']) {
    const { status, body } = await ask('apply', withTeam(team), { variables: {} });
    assert.equal(status, 400);
    assert.equal(
      body['error']?.['message'],
      'The headers of the provider "main" differ from the stored headers, and Floe can only replace all of them at once. Set these variables too: PROVIDER_MAIN_HEADER_X_EXTRA',
    );
  }
  const withMissing = withTeam('green')
    .replace('headers: {', 'headers: { x-new: "${NEW_HEADER}",')
    .replace('channels: [', 'channels: [{ name: new, kind: webhook, url: "${NEW_URL}" }, ');
  const missing = await ask('apply', withMissing, { variables: {} });
  assert.match(
    missing.text,
    /NEW_HEADER: the header x-new of the provider .*NEW_URL: the url of the channel/,
  );
  assert.deepEqual(told(await ask('apply', withTeam('green'))), ['changed providers/main']);
  assert.deepEqual(told(await ask('apply', await exported(), { variables: {} })), []);
});

test('a document must not refer to files of the server', async (t) => {
  const { ask } = await start(t);
  const yaml = 'orgs: [{ id: acme, providers: [{ id: p, kind: openai, api_key: "${file:/etc/passwd}" }] }]';
  for (const action of ['diff', 'apply'] as const) {
    const answer = await ask(action, yaml);
    assert.equal(answer.status, 400);
    assert.match(answer.text, /can be used only in the server's floe\.yaml/);
    assert.doesNotMatch(answer.text, /root:/);
  }
});

test('keys of a document are created, changed and given new values, within the permissions of the caller', async (t) => {
  const { ask, call, me, addKey } = await start(t);
  const one = `eis_one${'0'.repeat(32)}`;
  const two = `eis_two${'0'.repeat(32)}`;
  const keys = (fields: string, value = one) =>
    ask('apply', `orgs: [{ id: acme, keys: [{ name: ci, key: "\${CI}", ${fields} }] }]`, {
      variables: { CI: value },
    });
  const made = await keys('scopes: [gateway]');
  assert.deepEqual(told(made), ['created keys/ci'], made.text);
  const { key } = (await me(one)).body;
  assert.deepEqual([key?.['name'], key?.['scopes']], ['ci', ['gateway']]);
  assert.equal(key?.['updated_by'], key?.['created_by']);
  assert.deepEqual(told(await keys('scopes: [gateway], owner: jo')), ['changed keys/ci']);
  assert.deepEqual(told(await keys('scopes: [gateway], owner: jo', two)), ['changed keys/ci']);
  assert.deepEqual([(await me(one)).status, (await me(two)).body.key?.['id']], [401, key?.['id']]);
  const wide = await keys('scopes: [gateway, relay]', two);
  assert.equal(wide.body.error?.code, 'insufficient_scope', wide.text);
  // By its name alone: its value is nobody's here.
  const named = await ask('apply', 'orgs: [{ id: acme, keys: [{ name: ci, key: "${NOT_GIVEN}" }] }]');
  assert.deepEqual([told(named), (await me(two)).body.key?.['owner']], [['changed keys/ci'], null]);
  await call('DELETE', `management/keys/${key?.['id']}`);
  const revoked = await keys('scopes: [gateway]', two);
  assert.match(String(revoked.body['ignored']), /keys\/ci: this key value was revoked; use a new value/);
  const pruned = await ask('apply', 'orgs: [{ id: acme, keys: [] }]', { prune: true });
  assert.deepEqual([pruned.status, told(pruned), (await call('GET', 'me')).status], [200, [], 200]);
  const { key: theirs } = await addKey('other');
  const stolen = await keys('scopes: [gateway]', theirs);
  assert.equal(stolen.body.error?.code, 'conflict', stolen.text);
});
