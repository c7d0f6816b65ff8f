import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { type FloeProcess, startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp, type HttpCallResponse } from '@floe/testkit/http-client';
import { assertErrorAnswer } from './assert-error-answer.ts';
import { buildChatBody, CHAT_COMPLETIONS_PATH } from './running-gateway.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'floe-keys-'));
let floe: FloeProcess;
let owner: string;
before(async () => {
  floe = await startFloeProcess({ dataDir });
  owner = await floe.waitForKey();
});
after(async () => {
  await floe.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const KEYS = '/api/management/keys';

function api(method: string, path: string, body?: JsonObject, key = owner): Promise<HttpCallResponse> {
  const headers = { 'x-api-key': key };
  return callHttp(floe.url + path, body ? { method, headers, body } : { method, headers });
}

async function create(body: JsonObject): Promise<{ id: string; key: string }> {
  const answer = await api('POST', KEYS, body);
  assert.equal(answer.status, 201, answer.text);
  const made = answer.json();
  assert.ok(isJsonObject(made) && typeof made.id === 'string' && typeof made.key === 'string');
  return { id: made.id, key: made.key };
}

const ask = (key: string, model = 'sandbox/echo') =>
  callHttp(floe.url + CHAT_COMPLETIONS_PATH, {
    headers: { 'x-api-key': key },
    body: buildChatBody({ model }),
  });

test('a key works from the response to its creation until the response to its revocation, repeatedly', async () => {
  for (let round = 0; round < 20; round++) {
    const { id, key } = await create({ name: `round ${round}`, scopes: ['gateway'] });
    assert.equal((await ask(key)).status, 200);
    assert.equal((await api('DELETE', `${KEYS}/${id}`)).status, 204);
    assertErrorAnswer(await ask(key), { code: 'key_revoked', message: /round/ }, 'on the gateway');
    const listed = await callHttp(`${floe.url}/gateway/v1/models`, {
      headers: { authorization: `Bearer sk-${key}` },
    });
    assertErrorAnswer(listed, { code: 'key_revoked' }, 'on the list of models');
  }
});

test('an open stream ends when the API confirms the revocation of its key, or the report of its leak', async () => {
  const ends = {
    revoked: ({ id }: { id: string }) => api('DELETE', `${KEYS}/${id}`),
    reported: ({ key }: { key: string }) =>
      api('POST', `${KEYS}/report-leak`, { found_in: 'https://gist.example/1' }, key),
  };
  for (const [name, end] of Object.entries(ends)) {
    const made = await create({ name, scopes: ['gateway'] });
    const heard = Promise.withResolvers<void>();
    const answer = callHttp(floe.url + CHAT_COMPLETIONS_PATH, {
      headers: { 'x-api-key': made.key },
      body: buildChatBody({ model: 'sandbox/slow', stream: true }),
      onChunk: () => heard.resolve(),
    });
    await heard.promise;
    assert.equal((await end(made)).status, 204);
    const { text } = await answer;
    assert.match(text, /"code":"key_revoked"/, name);
    assert.doesNotMatch(text, /\[DONE\]/, name);
  }
});

test('the old value of a rotated key has its end in every gateway response, and the new one has not', async () => {
  const { id, key: old } = await create({ name: 'rotated', scopes: ['gateway'] });
  const before = Math.floor(Date.now() / 1000);
  const made = (await api('POST', `${KEYS}/${id}/rotate`, { overlap_hours: 1 })).json();
  assert.ok(isJsonObject(made) && typeof made.key === 'string');
  const read = (path: string) => (key: string) =>
    callHttp(`${floe.url}/gateway/v1/${path}`, { headers: { authorization: `Bearer ${key}` } });
  const requests = [
    ...['sandbox/echo', 'sandbox/none'].map((model) => (key: string) => ask(key, model)),
    ...['models', 'models/sandbox/echo', 'models/none', 'key', 'responses/none'].map(read),
  ];
  for (const send of requests) {
    const { headers } = await send(old);
    assert.ok(Number(String(headers['deprecation']).slice(1)) >= before);
    const sunset = Date.parse(String(headers['sunset'])) / 1000;
    assert.ok(sunset >= before + 3600 && sunset <= Date.now() / 1000 + 3601);
    const next = await send(made.key);
    assert.equal(next.headers['deprecation'] ?? next.headers['sunset'], undefined);
  }
});

test('scopes: each operation accepts exactly its scopes', async () => {
  const operations: readonly (readonly [
    method: string,
    path: string,
    scopes: readonly string[],
    body?: JsonObject,
  ])[] = [
    ['POST', CHAT_COMPLETIONS_PATH, ['gateway'], buildChatBody({ model: 'sandbox/echo' })],
    ['GET', '/gateway/v1/key', ['gateway']],
    ['GET', KEYS, ['management', 'read']],
    ['GET', '/api/analytics/requests', ['management', 'read']],
    ['POST', KEYS, ['management'], { name: 'made by another', scopes: ['management'] }],
    ['GET', '/api/me', ['gateway', 'monitoring', 'beat', 'relay', 'management', 'read']],
  ];
  for (const scope of ['gateway', 'monitoring', 'beat', 'relay', 'management', 'read']) {
    const { key } = await create({ name: `only ${scope}`, scopes: [scope] });
    for (const [method, path, opening, body] of operations) {
      const answer = await api(method, path, body, key);
      const what = `${scope} at ${method} ${path}`;
      if (opening.includes(scope)) assert.ok(answer.status < 300, `${what}: ${answer.text}`);
      else assertErrorAnswer(answer, { code: 'insufficient_scope' }, what);
    }
  }
});

test('a key that is restricted to models uses and lists only those', async () => {
  const { key } = await create({ name: 'restricted', scopes: ['gateway'], models: ['sandbox/e*'] });
  assert.equal((await ask(key)).status, 200);
  assertErrorAnswer(
    await ask(key, 'sandbox/slow'),
    { code: 'model_not_allowed', param: 'model' },
    'another model',
  );
  const list = (await callHttp(`${floe.url}/gateway/v1/models`, { headers: { 'x-api-key': key } })).json();
  assert.ok(isJsonObject(list) && Array.isArray(list.data));
  assert.deepEqual(
    list.data.map((model) => isJsonObject(model) && model.id),
    ['sandbox/echo'],
  );
});

test('the time zone of an organization without a file applies to its budgets and schedules', async () => {
  const changed = await api('PATCH', '/api/management/org', { name: 'Kolkata', timezone: 'Asia/Kolkata' });
  assert.equal(changed.status, 200, changed.text);
  const budget = { name: 'daily', scope: 'org', period: 'day', limit_usd: 1000 };
  const made = (await api('POST', '/api/management/budgets', budget)).json();
  assert.ok(isJsonObject(made) && isJsonObject(made.state));
  assert.match(String(made.state.resets_at), /T18:30:00\.000Z$/);
  const schedule = { schedule: { cron: '0 0 * * *' } };
  const preview = await api('POST', '/api/monitoring/schedule/preview', schedule);
  assert.match(preview.text, /T18:30:00\.000Z/);
});

test('keys survive a restart, revoked ones as revoked, and their last use is stored', async () => {
  const used = await create({ name: 'used', scopes: ['gateway'] });
  const unused = await create({ name: 'unused', scopes: ['gateway'] });
  const revoked = await create({ name: 'revoked', scopes: ['gateway'] });
  const from = Date.now();
  await ask(used.key);
  await api('DELETE', `${KEYS}/${revoked.id}`);
  assert.deepEqual(await floe.stop(), { code: 0, signal: null });
  floe = await startFloeProcess({ dataDir });
  const lastUse = async (id: string) => {
    const key = (await api('GET', `${KEYS}/${id}`)).json();
    assert.ok(isJsonObject(key));
    return key.last_used_at;
  };
  const at = Date.parse(String(await lastUse(used.id)));
  assert.ok(at >= from && at <= Date.now());
  assert.equal(await lastUse(unused.id), null);
  assert.equal((await ask(used.key)).status, 200);
  assertErrorAnswer(await ask(revoked.key), { code: 'key_revoked' }, 'after the restart');
});
