// Tier: ci. Starts servers and the command line several times.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startFloeProcess } from '@floe/testkit/floe-process';
import { MINIMAL_ENVIRONMENT } from '@floe/testkit/minimal-environment';

const PROGRAM = join(import.meta.dirname, 'main.ts');
const [LOST, NEW] = ['l'.repeat(32), 'n'.repeat(32)];
const WEBHOOK = { kind: 'webhook', name: 'ops', url: 'http://127.0.0.1:9/old', secret: 'signing-secret' };
const PROVIDER = {
  id: 'groq-one',
  kind: 'groq',
  api_key: 'gsk_old_old_old_old',
  headers: { 'x-retention': 'none' },
};

async function startServer(t: TestContext, dataDir: string, encryptionKeys: string) {
  const server = await startFloeProcess({ dataDir, env: { FLOE_ENCRYPTION_KEYS: encryptionKeys } });
  t.after(() => server.kill());
  return server;
}

function createCaller(url: string, key: string) {
  return async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}/api${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, text, json: text.startsWith('{') ? JSON.parse(text) : null };
  };
}

test('after an encryption key is marked as lost, the server starts, and its secrets can be entered again', async (t) => {
  const home = mkdtempSync(join(tmpdir(), 'floe-cli-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const dataDir = join(home, 'data');
  const floe = (...args: string[]) => {
    const env = { ...MINIMAL_ENVIRONMENT, FLOE_DATA_DIR: dataDir, FLOE_ENCRYPTION_KEYS: NEW };
    return spawnSync(process.execPath, [PROGRAM, 'secrets', ...args], { cwd: home, env, encoding: 'utf8' });
  };
  const first = await startServer(t, dataDir, LOST);
  const key = await first.waitForKey();
  const before = createCaller(first.url, key);
  const once = { 'idempotency-key': 'once' };
  for (const [path, body, headers] of [
    ['/management/providers', PROVIDER, {}],
    ['/management/providers', { ...PROVIDER, id: 'groq-two' }, {}],
    ['/monitoring/channels', WEBHOOK, once],
  ] as const)
    assert.equal((await before('POST', path, body, headers)).status, 201);
  await first.stop();

  const refused = await startServer(t, dataDir, NEW).then(
    () => '',
    (error: unknown) => String(error),
  );
  const keyId = /missing key ids: (\w{8});.* If a key is lost, run "floe secrets mark-key-lost"/.exec(
    refused,
  )?.[1];
  assert.ok(keyId, refused);
  const listed = [
    '  channels: org default, id chn_\\w+, name ops',
    '  config_entries: org default, id \\w+, name providers/groq-one',
    '  config_entries: org default, id \\w+, name providers/groq-two',
    '  provider_credentials: org default, id crd_\\w+, name groq-one/default',
    '  provider_credentials: org default, id crd_\\w+, name groq-two/default',
    '  idempotent_creations: org default, id .+, name channels.create',
  ].join('\n');
  const dry = floe('mark-key-lost', keyId, '--dry-run');
  assert.match(dry.stdout, new RegExp(`^Would mark the key ${keyId} as lost\\..*\n${listed}\n$`));
  await assert.rejects(startServer(t, dataDir, NEW), /missing key ids/);
  assert.match(
    floe('mark-key-lost', 'deadbeef').stderr,
    /No stored secret is encrypted with the key deadbeef/,
  );
  const marked = floe('mark-key-lost', keyId);
  assert.deepEqual([marked.status, marked.stderr], [0, '']);
  assert.match(marked.stdout, new RegExp(`^Marked the key ${keyId} as lost\\..*\n${listed}\n$`));

  const second = await startServer(t, dataDir, NEW);
  const api = createCaller(second.url, key);
  const audit = await api('GET', '/management/audit?action=secrets.mark_key_lost');
  assert.equal(audit.json.data.length, 1, audit.text);
  assert.match(audit.text, /groq-one\/default/);
  assert.equal((await api('GET', '/management/config/export')).status, 200);
  // Nothing is used without its secrets, and no operation fails with an internal error.
  const test1 = await api('POST', '/management/providers/groq-one/credentials/default/test');
  assert.equal(test1.status, 409, test1.text);
  assert.match(test1.text, /encrypted with a key that is not configured/);
  assert.equal((await api('POST', '/monitoring/channels/ops/test')).status, 409);
  const repeated = await api('POST', '/monitoring/channels', WEBHOOK, once);
  assert.equal(repeated.status, 409, repeated.text);
  const renamed = await api('PATCH', '/monitoring/channels/ops', { tags: ['night'] });
  assert.equal(renamed.status, 400, renamed.text);
  assert.match(renamed.text, /url: must be sent again/);

  // A change without the lost headers does not remove them silently.
  const again = await api('PATCH', '/management/providers/groq-one', { api_key: 'gsk_new_new_new_new' });
  assert.equal(again.status, 200, again.text);
  // Nor does a change of other secrets, or a new URL, which would receive them if the key is found.
  for (const change of [
    { outbound: { proxy: 'http://127.0.0.1:9' } },
    { base_url: 'http://127.0.0.1:9/v1', api_key: 'gsk_new_new_new_new' },
  ]) {
    const partial = await api('PATCH', '/management/providers/groq-two', change);
    assert.equal(partial.status, 400, partial.text);
    assert.match(partial.text, /headers: must be sent again/);
  }
  assert.match(floe('rewrap').stderr, /Another Floe process/);
  const headers = { 'x-retention': 'none' };
  for (const id of ['groq-one', 'groq-two'])
    assert.equal((await api('PATCH', `/management/providers/${id}`, { headers })).status, 200);
  const fields = { api_key: 'gsk_new_new_new_new' };
  assert.equal((await api('PATCH', '/management/providers/groq-two', fields)).status, 200);
  const url = 'http://127.0.0.1:9/new';
  const unsigned = await api('PATCH', '/monitoring/channels/ops', { url });
  assert.equal(unsigned.status, 400, unsigned.text);
  assert.match(unsigned.text, /secret: must be sent again/);
  const channel = await api('PATCH', '/monitoring/channels/ops', { url, secret: null });
  assert.equal(channel.status, 200, channel.text);
  await second.stop();

  // Only the response to the repeated creation remains until it expires.
  const rewrapped = floe('rewrap');
  assert.match(
    rewrapped.stdout,
    /^channels: 0 re-encrypted with key \w+\nconfig_entries: 0 re-encrypted with key \w+\n/,
  );
  assert.match(rewrapped.stderr, /\(1 in total\)/);
});
