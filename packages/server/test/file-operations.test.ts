// Operations on resources that floe.yaml defines: they are no configuration, so the file neither prevents nor undoes them.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { eventually } from '@floe/testkit/eventually';
import { type FloeProcess, startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp } from '@floe/testkit/http-client';

const home = mkdtempSync(join(tmpdir(), 'floe-operations-'));
const file = join(home, 'floe.yaml');
const KEY = `eis_admin${'0'.repeat(32)}`;
const SCOPES = ['gateway', 'management', 'monitoring'];
const MONITOR = 'monitoring/monitors/job';
let received = 0;
const receiver = createServer((_, response) => {
  received += 1;
  response.end();
}).unref();
let floe: FloeProcess;

before(async () => {
  await once(receiver.listen(0, '127.0.0.1'), 'listening');
  write({});
  floe = await start();
});
after(async () => {
  receiver.close();
  await floe.stop();
  rmSync(home, { recursive: true, force: true });
});

function start(): Promise<FloeProcess> {
  return startFloeProcess({ dataDir: join(home, 'data'), env: { FLOE_CONFIG: file } });
}

/** @param monitor what the file says of the monitor `job` besides its interval */
function write(monitor: JsonObject, description = ''): void {
  const address = receiver.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const org = {
    id: 'acme',
    keys: [{ name: 'admin', key: KEY, scopes: SCOPES }],
    providers: [{ id: 'base', kind: 'sandbox' }],
    channels: [{ name: 'ops', kind: 'webhook', url: `http://127.0.0.1:${port}/` }],
    monitors: [{ id: 'job', expected_interval_minutes: 5, description, ...monitor }],
  };
  writeFileSync(
    file,
    JSON.stringify({ security: { private_networks: ['127.0.0.1/32'] }, orgs: [org] }, null, 1),
  );
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

async function state() {
  const { source, paused, paused_until, muted_until } = (await api('GET', MONITOR)).body;
  return [paused, paused_until, muted_until, isJsonObject(source) && source['kind']];
}

let reloads = 0;
/** Changes the file in another field and waits until that is in force. */
async function reload(monitor: JsonObject = {}): Promise<void> {
  const description = `reload ${++reloads}`;
  write(monitor, description);
  process.kill(floe.pid, 'SIGHUP');
  await eventually(async () => (await api('GET', MONITOR)).body['description'] === description || undefined);
}

test('a monitor in the file can be paused and resumed, and neither a reload nor a restart undoes this', async () => {
  const paused = await api('POST', `${MONITOR}/pause`);
  assert.equal(paused.status, 200, paused.text);
  assert.deepEqual(await state(), [true, null, null, 'file']);
  await reload();
  assert.deepEqual(await state(), [true, null, null, 'file']);
  await floe.stop();
  floe = await start();
  assert.deepEqual(await state(), [true, null, null, 'file']);
  assert.equal((await api('POST', `${MONITOR}/resume`)).status, 200);
  await reload();
  assert.deepEqual(await state(), [false, null, null, 'file']);
});

test('a monitor in the file can be muted with PATCH and in bulk, and all other fields are read-only', async () => {
  const until = new Date(Date.now() + 3_600_000).toISOString();
  assert.equal((await api('PATCH', MONITOR, { muted_until: until })).status, 200);
  await reload();
  assert.deepEqual(await state(), [false, null, until, 'file']);
  const bulk = { ids: ['job'], muted_until: null, paused_until: until };
  assert.deepEqual((await api('PATCH', 'monitoring/monitors', bulk)).body['changed'], ['job']);
  await reload();
  assert.deepEqual((await state()).slice(1), [until, null, 'file']);
  const resumed = await api('PATCH', 'monitoring/monitors', { ids: ['job'], paused: false });
  assert.deepEqual(resumed.body['changed'], ['job']);
  const mixed = await api('PATCH', MONITOR, { muted_until: until, name: 'other' });
  assert.match(mixed.text, /managed_by_file/);
  const tagged = await api('PATCH', 'monitoring/monitors', { ids: ['job'], paused: true, add_tags: ['x'] });
  assert.match(tagged.text, /"failed":\[\{"id":"job","code":"managed_by_file"/);
  assert.deepEqual(await state(), [false, null, null, 'file']);
});

test('a changed pause in the file takes precedence over the API', async () => {
  await reload({ paused: true });
  assert.deepEqual(await state(), [true, null, null, 'file']);
  assert.equal((await api('POST', `${MONITOR}/resume`)).status, 200);
  await reload({ paused: true });
  assert.deepEqual(await state(), [false, null, null, 'file'], 'the file says what it said before');
  await api('POST', `${MONITOR}/pause`);
  await reload();
  assert.deepEqual(await state(), [false, null, null, 'file'], 'the file no longer pauses it');
});

test('the beat URL of a monitor in the file can be rotated', async () => {
  const before = (await api('GET', MONITOR)).body['beat_url'];
  const rotated = await api('POST', `${MONITOR}/rotate`);
  assert.equal(rotated.status, 200);
  await reload();
  const { body } = await api('GET', MONITOR);
  assert.notEqual(body['beat_url'], before);
  assert.equal(body['beat_url'], rotated.body['beat_url']);
});

test('a breaker of a provider in the file can be forced, and a reload does not end this', async () => {
  const path = `management/breakers/${encodeURIComponent('base/echo@none')}/force`;
  const forced = await api('POST', path, { state: 'open', reason: 'test', expires_in_seconds: 600 });
  assert.equal(forced.status, 200, forced.text);
  await reload();
  assert.match((await api('GET', 'management/breakers')).text, /"forced":\{"state":"open"/);
  const ended = await api('POST', path, { state: 'auto', reason: 'test', expires_in_seconds: 600 });
  assert.equal(ended.status, 200, ended.text);
});

test('a channel in the file can be tested', async () => {
  const { body, text } = await api('POST', 'monitoring/channels/ops/test');
  assert.equal(body['ok'], true, text);
  assert.equal(received, 1);
});

test('a platform key in the file has its value there, so it cannot be rotated with the API', async () => {
  const keys = await api('GET', 'management/keys?search=admin');
  const [, id = ''] = /"id":"([^"]+)"/.exec(keys.text) ?? [];
  const refused = await api('POST', `management/keys/${id}/rotate`, { overlap_hours: 0 });
  assert.match(refused.text, /managed_by_file/);
});
