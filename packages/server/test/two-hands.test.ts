// Tier: ci. Waits for many reloads of the file.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { eventually } from '@floe/testkit/eventually';
import { type FloeProcess, startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp } from '@floe/testkit/http-client';
import { CLI_PROGRAM, runProgramToEnd } from './run-program.ts';
import { buildChatBody, CHAT_COMPLETIONS_PATH } from './running-gateway.ts';

const home = mkdtempSync(join(tmpdir(), 'floe-hands-'));
const file = join(home, 'acme.yaml');
const KEY = `eis_admin${'0'.repeat(32)}`;
const SCOPES = ['gateway', 'management', 'monitoring'];
const SANDBOX = { id: 'base', kind: 'sandbox' };

function write(more: JsonObject = {}, providers: readonly JsonObject[] = [SANDBOX]) {
  const org = { id: 'acme', keys: [{ name: 'admin', key: KEY, scopes: SCOPES }], providers, ...more };
  writeFileSync(file, JSON.stringify({ orgs: [org] }, null, 1));
}

let floe: FloeProcess;
before(async () => {
  write();
  floe = await startFloeProcess({ env: { FLOE_CONFIG: file } });
});
after(async () => {
  await floe.stop();
  rmSync(home, { recursive: true, force: true });
});

async function api(method: string, path: string, body?: object) {
  const answer = await callHttp(`${floe.url}/api/management/${path}`, {
    method,
    headers: { 'x-api-key': KEY, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const json = answer.text === '' || !answer.text.startsWith('{') ? {} : answer.json();
  return { status: answer.status, body: isJsonObject(json) ? json : {}, text: answer.text };
}

async function sourceOf(id: string): Promise<unknown> {
  const { source } = (await api('GET', `providers/${id}`)).body;
  return isJsonObject(source) ? source['kind'] : undefined;
}

async function outcome(model: string): Promise<number> {
  const body = buildChatBody({ model });
  return (await callHttp(floe.url + CHAT_COMPLETIONS_PATH, { headers: { 'x-api-key': KEY }, body })).status;
}

const errorOf = ({ status, body }: { status: number; body: JsonObject }) => {
  const error = isJsonObject(body['error']) ? body['error'] : {};
  return `${status} ${error['code']}: ${error['message']}`;
};

test('a change through the API applies when its response is sent, together with the file', async () => {
  assert.equal(await outcome('mine/echo'), 404);
  assert.equal((await api('POST', 'providers', { id: 'mine', kind: 'sandbox' })).status, 201);
  assert.equal(await outcome('mine/echo'), 200);
  assert.equal(
    (await api('POST', 'routes', { model: 'smart', targets: ['base/echo', 'mine/echo'] })).status,
    201,
  );
  assert.equal(await outcome('smart'), 200);
  const deny = {
    name: 'no',
    on: 'request',
    when: 'request.model == "smart"',
    action: 'deny',
    mode: 'enforce',
  };
  assert.equal((await api('POST', 'policies', deny)).status, 201);
  assert.equal(await outcome('smart'), 403);
  assert.equal((await api('PATCH', 'policies/no', { enabled: false })).status, 200);
  assert.equal(await outcome('smart'), 200);
  assert.match(
    errorOf(await api('PATCH', 'providers/base', { models: ['x'] })),
    /^409 managed_by_file: .*line \d+/,
  );
});

test('the file takes over a resource with its id; a resource that leaves it is removed, or kept if the API refers to it', async () => {
  const withMine = () =>
    write({ cache: { enabled: true } }, [SANDBOX, { id: 'mine', kind: 'sandbox', models: ['echo'] }]);
  withMine();
  await eventually(async () => (await sourceOf('mine')) === 'file' || undefined);
  // A file is in the database before it is in use.
  await eventually(async () => (await outcome('mine/tools')) === 404 || undefined);
  assert.equal(await outcome('mine/echo'), 200);
  const made = (await api('GET', 'providers/mine')).body['created_at'];
  assert.match(errorOf(await api('PATCH', 'cache', { enabled: false })), /^409 managed_by_file: .*"cache"/);
  write();
  // A route of the API sends to it.
  await eventually(async () => (await sourceOf('mine')) === 'console' || undefined);
  const left = (await api('GET', 'providers/mine')).body;
  assert.deepEqual([left['enabled'], left['created_at'], left['updated_by']], [true, made, 'file']);
  assert.equal(await outcome('mine/echo'), 200);
  assert.equal((await api('PATCH', 'cache', { enabled: false })).status, 200);
  withMine();
  await eventually(async () => (await sourceOf('mine')) === 'file' || undefined);
  assert.equal((await api('DELETE', 'routes/smart')).status, 204);
  write();
  await eventually(async () => (await api('GET', 'providers/mine')).status === 404 || undefined);
  // A file is in the database before it is in use.
  await eventually(async () => (await outcome('mine/echo')) === 404 || undefined);
  const audit = await api('GET', 'audit?actor=file&subject=mine');
  assert.match(audit.text, /providers\.delete.*providers\.update.*providers\.update/s);
});

test('a rejected file is reported with its line until the next file is applied', async () => {
  const running = (await api('GET', 'config')).body;
  assert.equal(running['rejected'], null);
  assert.equal(running['file'], 'acme.yaml');
  writeFileSync(file, 'orgs:\n  - id: acme\n    kees: []\n');
  const refused = await eventually(async () => {
    const { rejected } = (await api('GET', 'config')).body;
    return isJsonObject(rejected) ? rejected : undefined;
  });
  assert.match(JSON.stringify(refused), /kees.*"line":3/);
  assert.equal((await api('GET', 'config')).body['version'], running['version']);
  write({ chat_reasoning: 'forward' });
  await eventually(async () => (await api('GET', 'config')).body['rejected'] === null || undefined);
  assert.notEqual((await api('GET', 'config')).body['version'], running['version']);
});

test('a resource in the file states so with the name of the file', async () => {
  write({
    teams: [{ id: 'sre' }],
    policies: [{ name: 'cap', on: 'request', when: 'request.max_tokens > 9', action: 'flag' }],
    limits: [{ name: 'wide', scope: 'org', rpm: 9_000 }],
    channels: [{ name: 'ops', kind: 'webhook', url: 'http://127.0.0.1:9/' }],
    monitors: [{ id: 'nightly', expected_interval_minutes: 60 }],
    boards: [{ slug: 'status' }],
    relay: { rules: [{ name: 'push', on: 'shell', match: { command: 'git' }, decision: 'ask' }] },
    cache: { enabled: true },
  });
  await eventually(async () => (await api('GET', 'teams/sre')).status === 200 || undefined);
  for (const path of [
    'org',
    'teams/sre',
    'keys',
    'providers/base',
    'policies/cap',
    'limits/wide',
    'relay/rules/push',
    'cache',
    '../monitoring/channels',
    '../monitoring/monitors/nightly',
    '../monitoring/boards/status',
  ]) {
    const { status, text } = await api('GET', path);
    assert.equal(status, 200, `${path}: ${text}`);
    assert.match(text, /"kind":"file","file":"acme.yaml"/, path);
    assert.doesNotMatch(text, /"floe\.yaml"/, path);
  }
  assert.match(
    errorOf(await api('DELETE', 'teams/sre')),
    /is defined in acme\.yaml, line \d+\. Change it there/,
  );
  write();
  await eventually(async () => (await api('GET', 'teams/sre')).status === 404 || undefined);
});

test('the command line compares, applies and exports, with the variables of its own environment', async () => {
  const env = { FLOE_API_KEY: KEY, FLOE_BASE_URL: floe.url, OTHER_KEY: 'a-key-from-here-and-nowhere-else' };
  const wanted = join(home, 'wanted.yaml');
  writeFileSync(
    wanted,
    'orgs: [{ id: acme, providers: [{ id: base, kind: sandbox }, { id: other, kind: openai, api_key: "${OTHER_KEY}" }] }]',
  );
  const run = (...args: string[]) => runProgramToEnd(CLI_PROGRAM, ['config', ...args], env, home);
  const diff = await run('diff', wanted);
  assert.equal(diff.code, 2, diff.stderr);
  assert.match(diff.stdout, /other +providers +created +API/);
  assert.match(diff.stdout, /^1 would change, 1 unchanged/m);
  assert.equal((await api('GET', 'providers/other')).status, 404);
  const applied = await run('apply', wanted, '--json');
  assert.equal(applied.code, 0, applied.stderr);
  assert.match(applied.stdout, /"action": "created"/);
  const exported = await run('export');
  assert.equal(exported.code, 0, exported.stderr);
  assert.match(
    exported.stdout,
    /# +PROVIDER_OTHER_DEFAULT_KEY: the key of the credential "default" of the provider "other"; the key ends in else/,
  );
  assert.doesNotMatch(applied.stdout + exported.stdout, /a-key-from-here/);
  writeFileSync(wanted, exported.stdout);
  const same = await run('diff', wanted, '--prune');
  assert.match(same.stdout, /^0 would change/m, same.stdout + same.stderr);
  assert.equal(same.code, 0);
  writeFileSync(
    wanted,
    'orgs: [{ id: acme, providers: [{ id: x, kind: openai, api_key: "${X_KEY}" }, { id: y, kind: groq, api_key: "${Y_KEY}" }] }]',
  );
  const unset = await run('apply', wanted);
  assert.equal(unset.code, 1);
  assert.match(
    unset.stderr,
    /\n {2}X_KEY: the key of the credential "default" of the provider "x"\n {2}Y_KEY: the key/,
  );
  writeFileSync(wanted, 'orgs: [{ id: acme, providers: [{ id: x, kind: opnai }] }]');
  const wrong = await run('apply', wanted);
  assert.equal(wrong.code, 1);
  assert.match(wrong.stderr, /orgs\[0\]\.providers\[0\]\.kind: .*did you mean "openai"/);
  // The exit code 2 of a diff would mean that there are changes.
  for (const args of [['none.yaml'], [], [wanted, '--purge']])
    assert.equal((await run('diff', ...args)).code, 1);
});

/** One resource of every kind that floe.yaml has, by its section, and one more field of it. */
const RESOURCES: Readonly<Record<string, readonly [name: string, entry: JsonObject, changed: JsonObject]>> = {
  teams: ['sre', { id: 'sre', name: 'SRE' }, { name: 'Reliability' }],
  channels: [
    'chat',
    { name: 'chat', kind: 'webhook', url: 'https://hooks.example/a', secret: 'whsec-1234567890' },
    { realert_minutes: 30 },
  ],
  monitors: ['nightly', { id: 'nightly', expected_interval_minutes: 60 }, { expected_interval_minutes: 90 }],
  boards: [
    'status',
    { slug: 'status', name: 'Status', groups: [{ name: 'Jobs', monitors: ['nightly'] }] },
    { name: 'Jobs' },
  ],
  routes: ['fast', { model: 'fast', targets: ['base/echo'] }, { retries: 1 }],
  policies: [
    'no',
    { name: 'no', on: 'request', when: 'request.model == "x"', action: 'deny' },
    { enabled: false },
  ],
  limits: ['slow', { name: 'slow', scope: 'org', rpm: 100 }, { rpm: 50 }],
  budgets: ['all', { name: 'all', scope: 'org', limit_usd: 5, period: 'day' }, { limit_usd: 6 }],
};

test('a changed floe.yaml is compared with the active configuration by resource, without applying it', async () => {
  const env = { FLOE_API_KEY: KEY, FLOE_BASE_URL: floe.url };
  const file = join(home, 'changed.json');
  const written = Object.fromEntries(
    Object.entries(RESOURCES).map(([section, [, entry]]) => [section, [entry]]),
  );
  const org = {
    id: 'acme',
    keys: [{ name: 'admin', key: KEY, scopes: SCOPES }],
    providers: [SANDBOX],
    ...written,
  };
  write(written);
  await eventually(async () => (await api('GET', 'routes/fast')).status === 200 || undefined);
  const diff = async (changed: JsonObject) => {
    writeFileSync(file, JSON.stringify({ orgs: [{ ...org, ...changed }] }));
    const { code, stdout, stderr } = await runProgramToEnd(
      CLI_PROGRAM,
      ['config', 'diff', file, '--prune', '--json'],
      env,
      home,
    );
    const answer: unknown = JSON.parse(stdout === '' ? '{}' : stdout);
    const changes =
      isJsonObject(answer) && Array.isArray(answer['changes']) ? answer['changes'].filter(isJsonObject) : [];
    const inFile = changes.filter(({ in_file }) => in_file === true);
    return { code, stderr, found: inFile.map(({ kind, id, action, fields }) => [kind, id, action, fields]) };
  };
  const same = await diff({});
  assert.deepEqual(same.found, [], same.stderr);
  for (const [section, [id, entry, changed]] of Object.entries(RESOURCES)) {
    const other = await diff({ [section]: [{ ...entry, ...changed }] });
    assert.deepEqual(
      other.found,
      [[section, id, 'changed', Object.keys(changed)]],
      `${section} ${other.stderr}`,
    );
    assert.equal(other.code, 2, section);
    if (section === 'monitors') continue;
    const gone = await diff({ [section]: [] });
    const fields = gone.found.map(([kind, name, action]) => [kind, name, action]);
    assert.deepEqual(fields, [[section, id, 'removed']], `${section} ${gone.stderr}`);
  }
  const first = RESOURCES['routes']?.[1] ?? {};
  const second: JsonObject = { model: 'slow', targets: ['base/echo'] };
  write({ ...written, routes: [first, second] });
  await eventually(async () => (await api('GET', 'routes/slow')).status === 200 || undefined);
  assert.deepEqual((await diff({ routes: [first, second] })).found, []);
  assert.deepEqual((await diff({ routes: [second, first] })).found, [
    ['routes', 'slow', 'changed', ['position']],
    ['routes', 'fast', 'changed', ['position']],
  ]);
  const alone = (await diff({ routes: [second] })).found.map(([kind, id, action]) => [kind, id, action]);
  assert.deepEqual(alone, [['routes', 'fast', 'removed']]);
  assert.equal((await api('GET', 'teams/sre')).body['name'], 'SRE');
  const exported = await runProgramToEnd(CLI_PROGRAM, ['config', 'export'], env, home);
  writeFileSync(file, exported.stdout);
  const own = await runProgramToEnd(CLI_PROGRAM, ['config', 'diff', file, '--json'], env, home);
  assert.doesNotMatch(own.stdout, /"kind":\s*"org"/, exported.stdout);
});
