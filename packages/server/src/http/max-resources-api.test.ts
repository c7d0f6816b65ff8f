import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { MAX_LIST_ENTRIES, MAX_RESOURCES_PER_ORG } from '@floe/contract/config/max-resources-per-org';
import { OrgSchema } from '@floe/contract/config/org';
import { countNewResourceWithinLimit } from '../management/resources/resource-limits.ts';
import { countOrgResources } from '../store/count-org-resources.ts';
import type { DatabaseWriter } from '../store/store-interfaces.ts';
import { type RunningApi, runApi } from './test/running-api.ts';

let api: RunningApi;
let key: string;
let foreign: string;
before(async () => {
  api = await runApi();
  key = (await api.addKey('acme')).key;
  foreign = (await api.addKey('other')).key;
  for (const by of [key, foreign])
    await api.call('POST', '/api/management/providers', { key: by, body: { id: 'openai', kind: 'openai' } });
});
after(() => api.close());

const window = { name: 'w', starts_at: '2027-01-01T00:00:00Z', ends_at: '2027-01-02T00:00:00Z' };

function configEntryKind(kind: string, bodyOf: (name: string) => object) {
  const copy = async (writer: DatabaseWriter, numbers: readonly number[]) => {
    const row = await writer
      .selectFrom('config_entries')
      .selectAll()
      .where('kind', '=', kind)
      .executeTakeFirstOrThrow();
    const rows = numbers.map((n) => ({ ...row, id: `copy${n}`, row_id: `${kind}${n}`, position: 10 + n }));
    await writer.insertInto('config_entries').values(rows).execute();
  };
  return { path: `/api/management/${kind}`, bodyOf, copy };
}

function storedRuleKind(
  table: 'limits' | 'budgets' | 'relay_rules',
  path: string,
  bodyOf: (name: string) => object,
) {
  const copy = async (writer: DatabaseWriter, numbers: readonly number[]) => {
    const row = await writer.selectFrom(table).selectAll().executeTakeFirstOrThrow();
    await writer
      .insertInto(table)
      .values(numbers.map((n) => ({ ...row, id: `copy${n}` })))
      .execute();
  };
  return { path, bodyOf, copy };
}

/** A resource of each kind, and how its row is copied under another name. */
const KINDS = {
  monitors: {
    path: '/api/monitoring/monitors',
    bodyOf: (id: string) => ({ id, expected_interval_minutes: 5 }),
    copy: async (writer: DatabaseWriter, numbers: readonly number[]) => {
      const row = await writer.selectFrom('monitor_clocks').selectAll().executeTakeFirstOrThrow();
      const rows = numbers.map((n) => ({ ...row, uid: `copy${n}`, id: `copy${n}`, token_hash: `copy${n}` }));
      await writer.insertInto('monitor_clocks').values(rows).execute();
    },
  },
  channels: {
    path: '/api/monitoring/channels',
    bodyOf: (name: string) => ({ name, kind: 'webhook', url: 'https://hooks.example/' }),
    copy: async (writer: DatabaseWriter, numbers: readonly number[]) => {
      const row = await writer.selectFrom('channels').selectAll().executeTakeFirstOrThrow();
      const rows = numbers.map((n) => ({ ...row, id: `copy${n}`, name: `copy${n}` }));
      await writer.insertInto('channels').values(rows).execute();
    },
  },
  boards: {
    path: '/api/monitoring/boards',
    bodyOf: (slug: string) => ({ slug }),
    copy: async (writer: DatabaseWriter, numbers: readonly number[]) => {
      const row = await writer.selectFrom('boards').selectAll().executeTakeFirstOrThrow();
      const rows = numbers.map((n) => ({ ...row, id: `copy${n}`, slug: `copy${n}` }));
      await writer.insertInto('boards').values(rows).execute();
    },
  },
  maintenance: {
    path: '/api/monitoring/maintenance',
    bodyOf: (id: string) => ({ ...window, id }),
    copy: async (writer: DatabaseWriter, numbers: readonly number[]) => {
      const row = await writer.selectFrom('maintenance_windows').selectAll().executeTakeFirstOrThrow();
      const rows = numbers.map((n) => ({ ...row, id: `copy${n}` }));
      await writer.insertInto('maintenance_windows').values(rows).execute();
    },
  },
  views: {
    path: '/api/management/views',
    bodyOf: (name: string) => ({ name, page: 'requests', filters: {} }),
    copy: async (writer: DatabaseWriter, numbers: readonly number[]) => {
      const row = await writer.selectFrom('views').selectAll().executeTakeFirstOrThrow();
      const rows = numbers.map((n) => ({ ...row, id: `copy${n}` }));
      await writer.insertInto('views').values(rows).execute();
    },
  },
  keys: {
    path: '/api/management/keys',
    bodyOf: (name: string) => ({ name, scopes: ['gateway'] }),
    copy: async (writer: DatabaseWriter, numbers: readonly number[]) => {
      const row = await writer
        .selectFrom('platform_keys')
        .selectAll()
        .where('name', '=', 'first')
        .executeTakeFirstOrThrow();
      const rows = numbers.map((n) => ({ ...row, id: `copy${n}`, name: `copy${n}`, hash: `copy${n}` }));
      await writer.insertInto('platform_keys').values(rows).execute();
    },
  },
  teams: {
    path: '/api/management/teams',
    bodyOf: (id: string) => ({ id }),
    copy: async (writer: DatabaseWriter, numbers: readonly number[]) => {
      const row = await writer.selectFrom('teams').selectAll().executeTakeFirstOrThrow();
      await writer
        .insertInto('teams')
        .values(numbers.map((n) => ({ ...row, id: `copy${n}` })))
        .execute();
    },
  },
  providers: configEntryKind('providers', (id) => ({ id, kind: 'openai' })),
  routes: configEntryKind('routes', (model) => ({ model, targets: ['openai/gpt-5'] })),
  policies: configEntryKind('policies', (name) => ({ name, on: 'request', when: 'true', action: 'flag' })),
  limits: storedRuleKind('limits', '/api/management/limits', (name) => ({ name, scope: 'org', rpm: 60 })),
  budgets: storedRuleKind('budgets', '/api/management/budgets', (name) => ({
    name,
    scope: 'org',
    limit_usd: 1,
    period: 'day',
  })),
  relay_rules: storedRuleKind('relay_rules', '/api/management/relay/rules', (name) => ({
    name,
    on: 'prompt',
    detect: { secrets: true },
    decision: 'ask',
  })),
};

/** The API of this test compiles all of these for each change, so it is not used with the maximum of them. */
const NOT_THROUGH_API = new Set(['keys', 'limits', 'budgets']);

for (const [kind, maximum] of Object.entries(MAX_RESOURCES_PER_ORG))
  test(`an organization can have at most ${maximum} ${kind}`, async () => {
    const { path, bodyOf, copy } = KINDS[kind as keyof typeof KINDS];
    const create = (name: string, by = key) => api.call('POST', path, { key: by, body: bodyOf(name) });
    const first = await create('first');
    assert.equal(first.status, 201, first.text);
    const fill = async (writer: DatabaseWriter) => {
      const count = await countOrgResources(writer, 'acme', kind as keyof typeof KINDS);
      const numbers = Array.from({ length: maximum - count - 1 }, (_, n) => n);
      for (let at = 0; at < numbers.length; at += 500) await copy(writer, numbers.slice(at, at + 500));
    };
    const reached = new RegExp(`maximum number of .+ \\(${maximum}\\)`);
    if (NOT_THROUGH_API.has(kind)) {
      const rollBack = new Error('the rows are not kept');
      const work = api.database.transaction(async (writer) => {
        await fill(writer);
        const count = (orgId: string) => countNewResourceWithinLimit(kind, { writer, orgId });
        await count('acme');
        await assert.rejects(count('acme'), { code: 'conflict', message: reached });
        await count('other');
        throw rollBack;
      });
      return assert.rejects(work, rollBack);
    }
    await api.database.transaction(fill);
    assert.equal((await create('last')).status, 201);
    const further = await create('further');
    assert.deepEqual([further.status, further.body.error?.code], [409, 'conflict'], further.text);
    assert.match(String(further.body.error?.message), reached);
    assert.equal((await create('of-another', foreign)).status, 201);
  });

test('floe.yaml can define at most as many resources of an organization', () => {
  const channel = { kind: 'webhook', url: 'https://hooks.example/' };
  const channels = Array.from({ length: MAX_RESOURCES_PER_ORG.channels + 1 }, (_, n) => ({
    ...channel,
    name: `c${n}`,
  }));
  assert.ok(OrgSchema.safeParse({ id: 'acme', channels: channels.slice(1) }).success);
  const { error } = OrgSchema.safeParse({ id: 'acme', channels });
  assert.deepEqual(
    error?.issues.map(({ path }) => path),
    [['channels']],
  );
});

const many = <Entry>(count: number, entryOf: (n: number) => Entry) =>
  Array.from({ length: count }, (_, n) => entryOf(n));
const map = (count: number, value: unknown) => Object.fromEntries(many(count, (n) => [`m${n}`, value]));
const CREDENTIAL = { api_key: 'a-key-of-some-length' };

/** A body of `POST` for each list, with this number of entries in the list. */
const LISTS: Readonly<Record<string, readonly [number, string, string, (count: number) => object]>> = {
  credentials: [
    ...([MAX_LIST_ENTRIES.providerCredentials, 'POST', 'management/providers'] as const),
    (count) => ({
      ...{ id: 'p-credentials', kind: 'openai' },
      credentials: many(count, (n) => ({ ...CREDENTIAL, name: `c${n}` })),
    }),
  ],
  headers: [
    ...([MAX_LIST_ENTRIES.providerHeaders, 'POST', 'management/providers'] as const),
    (count) => ({ id: 'p-headers', kind: 'openai', headers: map(count, 'x') }),
  ],
  models: [
    ...([MAX_LIST_ENTRIES.providerModels, 'POST', 'management/providers'] as const),
    (count) => ({ id: 'p-models', kind: 'openai', models: many(count, (n) => `m${n}`) }),
  ],
  deployments: [
    ...([MAX_LIST_ENTRIES.providerModels, 'POST', 'management/providers'] as const),
    (count) => ({ id: 'p-deployments', kind: 'openai', deployments: map(count, 'x') }),
  ],
  prices: [
    ...([MAX_LIST_ENTRIES.providerModels, 'POST', 'management/providers'] as const),
    (count) => ({ id: 'p-prices', kind: 'openai', prices: map(count, { input: 1, output: 1 }) }),
  ],
  targets: [
    ...([MAX_LIST_ENTRIES.routeTargets, 'POST', 'management/routes'] as const),
    (count) => ({ model: 'long', targets: many(count, (n) => `openai/m${n}`) }),
  ],
  'passthrough.a': [
    ...([MAX_LIST_ENTRIES.routeTargets, 'PATCH', 'management/settings'] as const),
    (count) => ({ passthrough: { a: many(count, () => 'openai') } }),
  ],
  'attribution.user_headers': [
    ...([MAX_LIST_ENTRIES.userHeaders, 'PATCH', 'management/settings'] as const),
    (count) => ({ attribution: { user_headers: many(count, (n) => `x-user-${n}`) } }),
  ],
};
for (const [param, [maximum, method, path, bodyOf]] of Object.entries(LISTS))
  test(`${param} can have at most ${maximum} entries`, async () => {
    const api = await runApi();
    const { key } = await api.addKey('acme');
    const call = (body: object) => api.call(method, `/api/${path}`, { key, body });
    await api.call('POST', '/api/management/providers', { key, body: { id: 'openai', kind: 'openai' } });
    const refused = await call(bodyOf(maximum + 1));
    assert.equal(refused.status, 400, refused.text);
    assert.match(refused.text, new RegExp(`${param}: must have at most ${maximum} entries`));
    const made = await call(bodyOf(maximum));
    assert.ok(made.status < 300, made.text);
    await api.close();
  });

test('a provider cannot get more credentials one by one than at once', async () => {
  const [, , , bodyOf] = LISTS['credentials'] ?? assert.fail();
  const api = await runApi();
  const { key } = await api.addKey('acme');
  const maximum = MAX_LIST_ENTRIES.providerCredentials;
  await api.call('POST', '/api/management/providers', { key, body: bodyOf(maximum - 1) });
  const add = (name: string) =>
    api.call('POST', '/api/management/providers/p-credentials/credentials', {
      key,
      body: { ...CREDENTIAL, name },
    });
  assert.equal((await add('last')).status, 201);
  const { status, body } = await add('further');
  assert.deepEqual([status, body.error?.code], [409, 'conflict']);
  assert.match(String(body.error?.message), /already has 100 credentials, which is the maximum/);
  await api.close();
});

test('a relay rule and its exceptions can have at most 500 patterns together', async () => {
  const bodyOf = (count: number) => ({
    ...{ name: 'long', on: 'shell', decision: 'deny', match: { command: many(count, (n) => `c${n}*`) } },
    except: [{ reason: 'tested', match: { args: many(100, (n) => `a${n}*`) } }],
  });
  const create = (count: number) =>
    api.call('POST', '/api/management/relay/rules', { key: foreign, body: bodyOf(count) });
  const refused = await create(MAX_LIST_ENTRIES.relayRulePatterns - 99);
  assert.equal(refused.status, 400, refused.text);
  assert.match(refused.text, /match: must have at most 500 patterns, including those of the exceptions/);
  assert.equal((await create(MAX_LIST_ENTRIES.relayRulePatterns - 100)).status, 201);
});
