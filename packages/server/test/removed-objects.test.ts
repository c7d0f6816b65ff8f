// An object that leaves floe.yaml is removed as DELETE removes an equal one that was made by the API: run for every kind.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { OrgSchema } from '@floe/contract/config/org';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { eventually } from '@floe/testkit/eventually';
import { type FloeProcess, startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp } from '@floe/testkit/http-client';

const KEY = `eis_stays${'0'.repeat(32)}`;
const STAYS = { name: 'stays', key: KEY, scopes: ['gateway', 'management', 'monitoring', 'relay'] };
const BASE = { id: 'base', kind: 'sandbox' };

interface Kind {
  readonly path: string;
  /** Field that names an object in the file. */
  readonly named: string;
  readonly entry: JsonObject;
  /** Section in the file where that is not the last step of the path. */
  readonly section?: string;
  /** Whether the file writes an audit entry for each object. */
  readonly isAudited?: false;
}

const KINDS: readonly Kind[] = [
  { path: 'management/teams', named: 'id', entry: { name: 'Search' } },
  { path: 'management/keys', named: 'name', entry: { scopes: ['gateway'] } },
  { path: 'management/providers', named: 'id', entry: { kind: 'sandbox' } },
  { path: 'management/routes', named: 'model', entry: { targets: ['base/echo'] } },
  {
    path: 'management/policies',
    named: 'name',
    entry: { on: 'request', when: 'true', action: 'flag' },
  },
  { path: 'management/limits', named: 'name', entry: { scope: 'org', rpm: 500 }, isAudited: false },
  {
    path: 'management/budgets',
    named: 'name',
    entry: { scope: 'org', period: 'month', limit_usd: 5, mode: 'soft' },
    isAudited: false,
  },
  { path: 'monitoring/monitors', named: 'id', entry: { expected_interval_minutes: 5 } },
  {
    path: 'monitoring/channels',
    named: 'name',
    entry: { kind: 'webhook', url: 'https://hooks.example/x' },
  },
  { path: 'monitoring/boards', named: 'slug', entry: { name: 'Status', public: true, groups: [] } },
  {
    path: 'management/relay/rules',
    named: 'name',
    entry: { on: 'shell', match: { command: 'curl' }, decision: 'deny' },
    section: 'relay',
    isAudited: false,
  },
];

const home = mkdtempSync(join(tmpdir(), 'floe-removed-'));
const file = join(home, 'floe.yaml');
let floe: FloeProcess;
before(async () => {
  write(true);
  floe = await startFloeProcess({ env: { FLOE_CONFIG: file } });
});
after(async () => {
  await floe.stop();
  rmSync(home, { recursive: true, force: true });
});

/** The object of each kind that the file has is called `filed`. */
function write(hasObjects: boolean): void {
  const sections = KINDS.map(({ path, named, entry, section = path.split('/').at(-1) ?? '' }) => {
    const value = section === 'keys' ? { key: KEY.replace('stays', 'goes0') } : {};
    const object = { [named]: 'filed', ...entry, ...value };
    return [section, section === 'relay' ? { rules: [object] } : [object]] as const;
  });
  const objects = Object.fromEntries(hasObjects ? sections : []);
  const { keys = [], providers = [], ...others } = objects;
  const settings = hasObjects ? { chat_reasoning: 'forward' } : {};
  const lists = { keys: [STAYS, keys].flat(), providers: [BASE, providers].flat() };
  writeFileSync(file, JSON.stringify({ orgs: [{ id: 'acme', ...lists, ...others, ...settings }] }));
}

async function api(method: string, path: string, body?: object) {
  const answer = await callHttp(`${floe.url}/api/${path}`, {
    method,
    headers: { 'x-api-key': KEY, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const json = answer.text.startsWith('{') ? answer.json() : {};
  return { status: answer.status, body: isJsonObject(json) ? json : {}, text: answer.text };
}

async function listed(path: string): Promise<readonly JsonObject[]> {
  const { data } = (await api('GET', path)).body;
  return Array.isArray(data) ? data.filter(isJsonObject) : assert.fail(path);
}

/** Adds an equal object to each kind, `made`, and returns its id. */
async function make({ path, named, entry }: Kind): Promise<string> {
  const { status, body, text } = await api('POST', path, { [named]: 'made', ...entry });
  assert.equal(status, 201, `${path} ${text}`);
  return String(body['id'] ?? body[named]);
}

async function idOfFiled({ path, named }: Kind): Promise<string> {
  const object = (await listed(path)).find((one) => one[named] === 'filed' || one['id'] === 'filed');
  return String(object?.['id'] ?? object?.[named]);
}

/** What there is of an object: the status of GET, and its own in the list. */
async function stateOf({ path, named }: Kind, id: string) {
  const found = (await listed(path)).find((one) => one['id'] === id || one[named] === id);
  return {
    read: (await api('GET', `${path}/${id}`)).status,
    listed: found ? (found['status'] ?? true) : false,
  };
}

/** The last entry of the audit log about an object. Boards are called by their slugs in it. */
async function lastAction({ path }: Kind, name: string, id: string): Promise<unknown> {
  const subject = path.endsWith('boards') ? name : id;
  const entries = await listed(`management/audit?subject=${subject}`);
  return entries
    .map(({ action }) => String(action))
    .find((action) => path.endsWith(action.split('.')[0] ?? ''));
}

async function checksOf(id: string): Promise<number> {
  return (await listed(`monitoring/monitors/${id}/checks`)).length;
}

test('every list of an organization in floe.yaml is among the kinds in this test', () => {
  const org = OrgSchema.parse({ id: 'acme' });
  const lists = Object.entries(org).flatMap(([section, value]) => (Array.isArray(value) ? [section] : []));
  const sections = KINDS.map(({ path, section }) => section ?? path.split('/').at(-1));
  assert.deepEqual(sections.toSorted(), [...lists, 'relay'].toSorted());
});

test('an object that leaves the file is removed like an object that DELETE removes, for every kind', async () => {
  const pairs: { readonly kind: Kind; readonly filed: string; readonly made: string }[] = [];
  for (const kind of KINDS) pairs.push({ kind, filed: await idOfFiled(kind), made: await make(kind) });
  for (const id of ['filed', 'made'])
    assert.equal((await api('POST', 'monitoring/heartbeat', { monitor_id: id })).status, 200);
  for (const { kind, filed, made } of pairs) {
    const there = await stateOf(kind, filed);
    assert.equal(there.read, 200, kind.path);
    assert.deepEqual(await stateOf(kind, made), there, kind.path);
    assert.equal((await api('DELETE', `${kind.path}/${filed}`)).status, 409, kind.path);
    assert.equal((await api('DELETE', `${kind.path}/${made}`)).status, 204, kind.path);
  }
  write(false);
  await eventually(async () => (await api('GET', 'management/teams/filed')).status === 404 || undefined);
  for (const { kind, filed, made } of pairs) {
    assert.deepEqual(await stateOf(kind, filed), await stateOf(kind, made), kind.path);
    if (kind.isAudited !== false)
      assert.equal(await lastAction(kind, 'filed', filed), await lastAction(kind, 'made', made), kind.path);
  }
  const settings = (await api('GET', 'management/settings')).text;
  assert.equal((await api('PATCH', 'management/settings', { chat_reasoning: 'forward' })).status, 200);
  assert.notEqual((await api('GET', 'management/settings')).text, settings);
  await api('PATCH', 'management/settings', { chat_reasoning: null });
  assert.equal((await api('GET', 'management/settings')).text, settings);
});

test('the records of an object continue when one with the same id returns', async () => {
  const [keys] = KINDS.filter(({ path }) => path.endsWith('keys'));
  const [monitors] = KINDS.filter(({ path }) => path.endsWith('monitors'));
  assert.ok(keys && monitors);
  const key = await idOfFiled(keys);
  write(true);
  await eventually(async () => (await api('GET', 'monitoring/monitors/filed')).status === 200 || undefined);
  await make(monitors);
  for (const id of ['filed', 'made']) assert.equal(await checksOf(id), 1, id);
  assert.equal(await idOfFiled(keys), key);
  assert.equal((await api('GET', `management/keys/${key}`)).body['status'], 'active');
});
