// What happens to an object that floe.yaml no longer has: run for every kind, and held against docs/configuration.md.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { isObject, type JsonObject } from '@floe/contract/json';
import { call } from '@floe/testkit/client';
import { eventually } from '@floe/testkit/patience';
import { startFloe } from '@floe/testkit/process';
import { ROOT } from './run-program.ts';

const KEY = `eis_stays${'0'.repeat(32)}`;
const stays = { name: 'stays', key: KEY, scopes: ['gateway', 'management', 'monitoring', 'relay'] };
const ORG = { id: 'acme', name: 'Acme' };
const OBJECTS = {
  teams: [{ id: 'search', name: 'Search' }],
  keys: [stays, { name: 'goes', key: KEY.replace('stays', 'goes0') }],
  providers: [{ id: 'one', kind: 'sandbox' }],
  routes: [{ model: 'smart', targets: ['one/echo'] }],
  limits: [{ name: 'few', scope: 'org', rpm: 500 }],
  budgets: [{ name: 'month', scope: 'org', period: 'month', limit_usd: 5, mode: 'soft' }],
  policies: [{ name: 'watch', on: 'request', when: 'true', action: 'flag' }],
  monitors: [{ id: 'nightly', expected_interval_minutes: 5 }],
  channels: [{ name: 'ops', kind: 'webhook', url: 'https://hooks.example/x' }],
  boards: [{ slug: 'status', name: 'Status', public: true, groups: [] }],
  relay: { rules: [{ name: 'no-curl', on: 'shell', match: { command: 'curl' }, decision: 'deny' }] },
  cache: { enabled: true },
};

/** By the first column of the table: the list of the kind, and the object in it. */
const KINDS: Readonly<Record<string, readonly [path: string, isIt: (object: JsonObject) => boolean]>> = {
  team: ['management/teams', ({ id }) => id === 'search'],
  key: ['management/keys', ({ name }) => name === 'goes'],
  provider: ['management/providers', ({ id }) => id === 'one'],
  route: ['management/routes', ({ model }) => model === 'smart'],
  limit: ['management/limits', ({ id }) => id === 'few'],
  budget: ['management/budgets', ({ id }) => id === 'month'],
  policy: ['management/policies', ({ name }) => name === 'watch'],
  monitor: ['monitoring/monitors', ({ id }) => id === 'nightly'],
  channel: ['monitoring/channels', ({ name }) => name === 'ops'],
  board: ['monitoring/boards', ({ slug }) => slug === 'status'],
  'relay rule': ['management/relay/rules', ({ id }) => id === 'no-curl'],
};

/** One word for what became of an object, as the table begins with it. */
function fateOf(object: JsonObject | undefined): string {
  if (object === undefined) return 'removed';
  if (object['status'] === 'revoked') return 'revoked';
  if (object['enabled'] === false) return 'disabled';
  return object['public'] === false ? 'private' : 'unchanged';
}

function documentedFates(): ReadonlyMap<string, string> {
  const page = readFileSync(join(ROOT, 'docs/configuration.md'), 'utf8');
  const [, section = ''] = page.split('### Objects that leave the file');
  const rows = section.split('\n## ')[0]?.matchAll(/^\| ([a-z ]+) \| (\w+)/gm) ?? [];
  const fates = new Map(Array.from(rows, ([, kind = '', fate = '']) => [kind, fate]));
  fates.delete('object');
  return fates;
}

test('what becomes of an object that leaves the file is what the table says, for every kind', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'floe-removed-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const file = join(home, 'floe.yaml');
  writeFileSync(file, JSON.stringify({ orgs: [{ ...ORG, ...OBJECTS }] }));
  const floe = await startFloe({ env: { FLOE_CONFIG: file } });
  t.after(() => floe.stop());
  const ask = async (path: string): Promise<JsonObject> => {
    const answer = (await call(`${floe.url}/api/${path}`, { headers: { 'x-api-key': KEY } })).json();
    return isObject(answer) ? answer : assert.fail(path);
  };
  const fates = async () => {
    const found = new Map<string, string>();
    for (const [kind, [path, isIt]] of Object.entries(KINDS)) {
      const { data } = await ask(path);
      const objects = Array.isArray(data) ? data.filter(isObject) : assert.fail(path);
      found.set(kind, fateOf(objects.find(isIt)));
    }
    const { enabled } = await ask('management/cache');
    return found.set('setting', enabled === false ? 'default' : 'unchanged');
  };
  assert.deepEqual(new Set((await fates()).values()), new Set(['unchanged']));
  writeFileSync(file, JSON.stringify({ orgs: [{ ...ORG, keys: [stays] }] }));
  const documented = documentedFates();
  assert.deepEqual([...documented.keys()].sort(), [...Object.keys(KINDS), 'setting'].sort());
  await eventually(async () => {
    assert.deepEqual([...(await fates())].sort(), [...documented].sort());
    return true;
  });
});
