import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Json, listed, runApi } from './test/running-api.ts';

const SECRETS = {
  MAIN_DEFAULT_KEY: 'sk-a-key-that-must-never-be-shown-4321',
  MAIN_HEADER_X_EXTRA: 'also-a-secret',
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
        api_key: "\${MAIN_DEFAULT_KEY}"
        headers: { x-extra: "\${MAIN_HEADER_X_EXTRA}" }
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
  const ask = (verb: 'diff' | 'apply', yaml: string, more: object = {}) =>
    call('POST', `management/config/${verb}`, { yaml, variables: SECRETS, ...more });
  const exported = async () => (await call('GET', 'management/config/export')).text;
  return { ...api, call, ask, exported };
}

const told = (answer: { body: Json }) =>
  listed(answer.body['changes']).map((change) => `${change['action']} ${change['kind']}/${change['id']}`);

const ALL = [
  'created teams/growth',
  'created channels/ops',
  'created monitors/nightly',
  'created boards/status',
  'created providers/main',
  'created providers/spare',
  'changed settings/settings',
  'changed cache/cache',
  'created routes/smart',
  'created routes/main/*',
  'created policies/cap',
  'created policies/mail',
  /created limits\/limit-/,
  'created limits/growth',
  'created budgets/month',
];

/** What an org is, without what is made anew in each: times, ids of rows, addresses. */
const LISTS = [
  'management/teams',
  'management/providers',
  'management/routes',
  'management/policies',
  'management/limits',
  'management/budgets',
  'management/models',
  'management/settings',
  'management/cache',
  'monitoring/channels',
  'monitoring/monitors',
  'monitoring/boards',
];
const OWN = new Set(['id', 'created_at', 'updated_at', 'updated_by', 'beat_url', 'url', 'secret']);

function meant(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(meant);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => (OWN.has(name) ? [] : [[name, meant(inner)]])),
  );
}

test('each resource can be had alone, as text that says the same and tells no secret', async (t) => {
  const { ask, call } = await start(t);
  assert.equal((await ask('apply', YAML)).status, 200);
  for (const path of LISTS.filter((one) => !/models|settings|cache/.test(one))) {
    const [, kind = ''] = path.split('/');
    const rows = listed((await call('GET', path)).body['data']);
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
      const others = listed(same.body['changes']).filter(({ fields }) => String(fields) !== 'position');
      assert.deepEqual(others, [], `${kind}/${id}: ${same.text}`);
      assert.ok(!same.text.includes('"created"'), same.text);
    }
  }
  assert.equal((await call('GET', 'management/config/entries/routes/none')).status, 404);
  assert.equal((await call('GET', 'management/config/entries/settings/cache')).status, 400);
});

test('a diff tells what applying does and does nothing; applying does it, and a second time nothing', async (t) => {
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
  assert.match(String(diff.body['ignored']), /server: belongs to the installation/);
  assert.equal(
    (await database.read.selectFrom('audit').selectAll().where('org_id', '=', 'acme').execute()).length,
    0,
  );
  assert.equal(listed((await call('GET', 'management/providers')).body['data']).length, 0);
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

test('what one installation exports makes another one the same', async (t) => {
  const one = await start(t);
  const other = await start(t);
  assert.equal((await one.ask('apply', YAML)).status, 200);
  await one.call('PATCH', 'management/policies/mail', { position: 0, mode: 'enforce' });
  await one.call('PATCH', 'management/providers/spare', { enabled: false });
  const text = await one.exported();
  assert.doesNotMatch(text, /must-never|also-a-secret|secret-path/);
  assert.match(text, /^# .*MAIN_DEFAULT_KEY: the key "default" of the provider "main", which ends in 4321$/m);
  const applied = await other.ask('apply', text);
  assert.equal(applied.status, 200, applied.text);
  for (const path of LISTS)
    assert.deepEqual(
      meant((await other.call('GET', path)).body),
      meant((await one.call('GET', path)).body),
      path,
    );
  for (const request of [
    { model: 'smart', messages: [] },
    { model: 'main/small', messages: [] },
    { model: 'main/large', max_tokens: 9, messages: [] },
    { model: 'spare/echo', messages: [] },
    { model: 'nothing', messages: [] },
  ]) {
    const answers = [one, other].map(async ({ call }) => {
      const { body } = await call('POST', 'management/routes/simulate', { request });
      const targets = listed(body['targets'])
        .map(({ provider, model }) => `${provider}/${model}`)
        .sort();
      return [body['outcome'], body['code'], body['message'], targets];
    });
    assert.deepEqual(await answers[1], await answers[0], JSON.stringify(request));
  }
  // Its own export changes nothing, even by somebody who does not know the secrets.
  const same = await one.ask('diff', text, { variables: {}, prune: true });
  assert.deepEqual(told(same), [], same.text);
});

test('pruning removes what a section does not name, and leaves alone the sections that are not there', async (t) => {
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
  assert.deepEqual(told(kept), ['changed settings/settings']);
  const pruned = await ask('apply', fewer, { prune: true });
  assert.deepEqual(told(pruned).sort(), [
    'removed providers/main',
    'removed routes/main/*',
    'removed routes/smart',
  ]);
  assert.equal(listed((await call('GET', 'monitoring/monitors')).body['data']).length, 1);
});

test('a document with one mistake changes nothing and is refused at its place', async (t) => {
  const { ask, call } = await start(t);
  for (const [yaml, expected] of [
    [
      YAML.replace('kind: sandbox', 'kind: sandbx'),
      /orgs\[0\]\.providers\[1\]\.kind: is not one of its values; did you mean "sandbox"\?/,
    ],
    [
      YAML.replace('main/large', 'mian/large'),
      /floe\.yaml:18:.*there is no such provider; did you mean "main"/,
    ],
    [YAML.replace('id: acme', 'id: someone\n  - id: else'), /has no entry "acme"/],
    [
      'orgs: [{ id: acme, monitors: [{ id: a, expected_interval_minutes: 5, channels: [x] }] }]',
      /there is no such channel/,
    ],
    ['orgs: [{ id: acme, providers: [{ id: a, kind: openai, base_url: "${HOME}" }] }]', /HOME is not set/],
    ['orgs: [{ id: acme, channels: [{ name: a, kind: slack, url: "${NOT_GIVEN}" }] }]', /url/],
    [
      'orgs: [{ id: acme, providers: [{ id: a, kind: openai, api_key: "${NOT_GIVEN}" }] }]',
      /providers\/a: .*api_key: is required/,
    ],
    ['nonsense: [', /./],
  ] as const)
    for (const verb of ['diff', 'apply'] as const) {
      const { status, body, text } = await ask(verb, yaml);
      assert.equal(status, 400, text);
      assert.match(String(body['error']?.['message']), expected);
    }
  assert.equal(listed((await call('GET', 'monitoring/channels')).body['data']).length, 0);
  const { body } = await call('GET', 'management/config');
  assert.equal(body['refused'], null);
  assert.deepEqual(body['counts']?.['providers'], { file: 0, console: 0 });
});
