import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PROVIDER_KIND_NAMES, PROVIDER_KINDS } from './config/provider-kinds.ts';
import { FloeConfigSchema } from './config.ts';

const KEY = `eis_${'a'.repeat(32)}`;

function org(sections: object) {
  return FloeConfigSchema.safeParse({ orgs: [{ id: 'acme', ...sections }] });
}

/** `path: message` of every issue below the first org. */
function mistakes(sections: object): string[] {
  return (org(sections).error?.issues ?? []).map(
    ({ path, message }) => `${path.slice(2).join('.')}: ${message}`,
  );
}

test('an empty file has every default', () => {
  const config = FloeConfigSchema.parse({});
  assert.equal(config.server.base_url, 'http://127.0.0.1:3563');
  assert.deepEqual(config.retention, {
    requests_days: 90,
    checks_days: 400,
    audit_days: 400,
    bodies_days: 7,
    responses_days: 30,
  });
  assert.equal(config.storage.database, 'sqlite:./.floe/floe.db');
  assert.deepEqual(config.orgs, []);
});

test('the base address follows host and port, with a name a browser can open', () => {
  const address = (host: string) => FloeConfigSchema.parse({ server: { host, port: 80 } }).server.base_url;
  assert.equal(address('::'), 'http://127.0.0.1:80');
  assert.equal(address('0.0.0.0'), 'http://127.0.0.1:80');
  assert.equal(address('::1'), 'http://[::1]:80');
  assert.equal(address('0:0:0:0:0:0:0:0'), 'http://127.0.0.1:80');
  assert.equal(address('[::1]'), 'http://[::1]:80');
  assert.equal(address('fe80::1%eth0'), 'http://[fe80::1]:80');
  assert.equal(address('floe.internal'), 'http://floe.internal:80');
});

test('the path of the base address is none that means something here', () => {
  const isFine = (base_url: string) => FloeConfigSchema.safeParse({ server: { base_url } }).success;
  for (const path of ['', '/floe', '/tools/floe', '/apis', '/x/api'])
    assert.ok(isFine(`https://host${path}`), path);
  for (const path of ['/api', '/gateway', '/gateway/v1', '/boards', '/metrics/x', '/floe/'])
    assert.ok(!isFine(`https://host${path}`), path);
});

test('short forms come out spelled out', () => {
  const config = FloeConfigSchema.parse({
    orgs: [
      {
        id: 'acme',
        providers: [{ id: 'one', kind: 'openai', api_key: 'k' }],
        passthrough: { a: 'one', b: ['one', { provider: 'one', model_map: { x: 'y' } }] },
        routes: [{ model: 'smart', targets: ['one/x', { model: 'one/y', weight: 3 }] }],
        monitors: [{ id: 'job', kind: 'push', expected_interval_minutes: 0.5 }],
        relay: { rules: [{ name: 'r', on: 'shell', decision: 'deny', match: { command: 'git' } }] },
      },
    ],
  });
  const [first] = config.orgs;
  assert.equal(first?.name, 'acme');
  assert.deepEqual(first?.providers[0]?.credentials, [{ name: 'default', api_key: 'k', weight: 1 }]);
  assert.deepEqual(first?.passthrough.a, [{ provider: 'one', model_map: {} }]);
  assert.deepEqual(first?.passthrough.b[1], { provider: 'one', model_map: { x: 'y' } });
  assert.deepEqual(first?.routes[0]?.targets, [
    { model: 'one/x', weight: 1 },
    { model: 'one/y', weight: 3 },
  ]);
  assert.equal(first?.monitors[0]?.kind, 'heartbeat');
  assert.equal(first?.monitors[0]?.name, 'job');
  assert.deepEqual(first?.relay.rules[0]?.match?.command, ['git']);
});

test('an omitted grace period stays omitted, so that the default of the org can follow', () => {
  const monitors = [{ id: 'job', expected_interval_minutes: 5 }];
  assert.equal(org({ monitors }).data?.orgs[0]?.monitors[0]?.grace_period_minutes, undefined);
});

test('a platform key is eis_ and at least 32 letters, digits or underscores', () => {
  const accepted = (key: string) => org({ keys: [{ name: 'ci', key }] }).success;
  assert.ok(accepted(KEY));
  assert.ok(accepted(`sk-${KEY}`));
  assert.ok(!accepted(KEY.slice(0, -1)));
  assert.ok(!accepted(`${KEY}-`));
  assert.ok(!accepted(KEY.replace('eis_', 'EIS_')));
});

test('kinds without a public address need a base_url, the others do not', () => {
  for (const kind of PROVIDER_KIND_NAMES) {
    const expected =
      PROVIDER_KINDS[kind].base_url === 'required'
        ? [`providers.0.base_url: is required for kind ${kind}`]
        : [];
    assert.deepEqual(mistakes({ providers: [{ id: 'x', kind }] }), expected);
  }
});

test('an address may not end in a slash or carry a query, a fragment or a user name', () => {
  const accepted = (base_url: string) => org({ providers: [{ id: 'x', kind: 'vllm', base_url }] }).success;
  assert.ok(accepted('http://127.0.0.1:11434/v1'));
  for (const bad of ['http://x/', 'http://x/v1?a', 'http://x#a', 'http://u:p@x/v1', 'ftp://x', 'x', ''])
    assert.ok(!accepted(bad), bad);
});

test('rules about several fields run beside mistakes in single fields', () => {
  assert.deepEqual(mistakes({ providers: [{ id: 'X', kind: 'vllm', zip: 1 }] }).sort(), [
    'providers.0.base_url: is required for kind vllm',
    'providers.0.id: must start with a lowercase letter or a digit, contain only lowercase letters, digits, ".", "_" and "-", and have at most 64 characters',
    'providers.0: Unrecognized key: "zip"',
  ]);
});

test('a monitor promises beats by an interval or by a schedule, not by both', () => {
  const schedule = { cron: '0 3 * * *' };
  assert.deepEqual(mistakes({ monitors: [{ id: 'a', schedule }] }), []);
  assert.equal(mistakes({ monitors: [{ id: 'a' }] }).length, 1);
  assert.equal(mistakes({ monitors: [{ id: 'a', schedule, expected_interval_minutes: 5 }] }).length, 1);
  assert.equal(mistakes({ monitors: [{ id: 'a', expected_interval_minutes: 0.4 }] }).length, 1);
  assert.equal(mistakes({ monitors: [{ id: 'a', schedule: { cron: 'tomorrow' } }] }).length, 1);
  assert.equal(
    mistakes({ monitors: [{ id: 'a', schedule: { ...schedule, timezone: 'Mars/Olympus' } }] }).length,
    1,
  );
});

test('a limit names exactly one bucket rule and its subject', () => {
  const limit = (fields: object) => mistakes({ limits: [{ rpm: 1, ...fields }] });
  assert.deepEqual(limit({ scope: 'org' }), []);
  assert.deepEqual(limit({ per: 'end_user' }), []);
  assert.deepEqual(limit({ scope: 'key', key: 'ci' }), []);
  assert.deepEqual(limit({ scope: 'key' }), ['limits.0.key: is required with scope: key']);
  assert.deepEqual(limit({ per: 'owner', team: 'x' }), ['limits.0.team: is only allowed with scope: team']);
  assert.deepEqual(limit({}), [
    'limits.0: must have scope (one shared counter) or per (a separate counter for each subject)',
  ]);
  assert.deepEqual(limit({ scope: 'org', per: 'key' }), [
    'limits.0.per: scope and per cannot be combined; set only one of them',
  ]);
  assert.deepEqual(mistakes({ limits: [{ scope: 'org' }] }), [
    'limits.0: must have at least one of rpm, tpm and concurrency',
  ]);
});

test('numbers outside their range are refused', () => {
  for (const port of [-1, 65_536, 1.5, Number.NaN])
    assert.ok(!FloeConfigSchema.safeParse({ server: { port } }).success, `port ${port}`);
  const provider = { id: 'x', kind: 'openai' };
  assert.equal(mistakes({ providers: [{ ...provider, timeouts: { idle_ms: 0 } }] }).length, 1);
  assert.equal(mistakes({ providers: [{ ...provider, prices: { m: { input: -1, output: 0 } } }] }).length, 1);
  assert.equal(mistakes({ budgets: [{ name: 'b', scope: 'org', period: 'day', limit_usd: 0 }] }).length, 1);
});

test('mail needs a sender, and only real networks are networks', () => {
  assert.ok(!FloeConfigSchema.safeParse({ smtp: { url: 'smtps://mail.example.com' } }).success);
  const networks = (private_networks: string[]) =>
    FloeConfigSchema.safeParse({ security: { private_networks } }).success;
  assert.ok(networks(['10.0.0.0/8', '192.168.1.1', 'fd00::/8', '::1']));
  assert.ok(!networks(['10.0.0.0/33']));
});
