import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { type FloeProcess, startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp, type HttpCallOptions, type HttpCallResponse } from '@floe/testkit/http-client';
import { deriveBeatToken } from '../src/monitoring/beat-token.ts';
import { derivePlatformKeyPepper } from '../src/platform/keyring.ts';
import { loadInstallationSecretKey } from '../src/store/secret-key.ts';

const KEY = `eis_all${'0'.repeat(40)}`;
const BEAT_ONLY = `eis_beat${'0'.repeat(40)}`;
const GATEWAY_ONLY = `eis_gateway${'0'.repeat(40)}`;
const OTHERS = `eis_others${'0'.repeat(40)}`;
const IMPORTED = 'sk-litellm-1234';
const SECRET = 'secret'.repeat(8);

const config = {
  orgs: [
    {
      id: 'acme',
      keys: [
        { name: 'all', key: KEY, scopes: ['monitoring'] },
        { name: 'beat', key: BEAT_ONLY, scopes: ['beat'] },
        { name: 'gateway', key: GATEWAY_ONLY, scopes: ['gateway'] },
        {
          name: 'imported',
          imported_hash: `sha256:${createHash('sha256').update(IMPORTED).digest('hex')}`,
          imported_from: 'litellm',
          scopes: ['beat'],
        },
      ],
      monitors: [
        { id: 'nightly', expected_interval_minutes: 1440, grace_period_minutes: 30 },
        { id: 'cron', schedule: { cron: '0 3 * * *', timezone: 'Europe/Riga' } },
        { id: 'by-url', expected_interval_minutes: 5 },
        { id: 'paused', expected_interval_minutes: 5, paused: true },
      ],
    },
    { id: 'other', keys: [{ name: 'others', key: OTHERS, scopes: ['monitoring'] }] },
  ],
};

let floe: FloeProcess;
before(async () => {
  floe = await startFloeProcess({ yaml: JSON.stringify(config), env: { FLOE_SECRET_KEY: SECRET } });
});
after(async () => {
  await floe.stop();
});

function beat(body: object | string, headers: HttpCallOptions['headers'] = {}, more: HttpCallOptions = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return callHttp(`${floe.url}/api/monitoring/heartbeat`, {
    method: 'POST',
    body: text,
    headers: { 'x-api-key': KEY, ...headers },
    ...more,
  });
}

function bodyOf(answer: HttpCallResponse): JsonObject {
  const body: unknown = answer.json();
  assert.ok(isJsonObject(body));
  return body;
}

async function refused(answer: Promise<HttpCallResponse>, status: number, code: string): Promise<JsonObject> {
  const got = await answer;
  assert.equal(got.status, status, got.text);
  const { error } = bodyOf(got);
  assert.ok(isJsonObject(error));
  assert.equal(error['code'], code);
  return error;
}

/** Rows of the server's database, read beside it. */
function stored(sql: string, ...parameters: string[]) {
  const database = new DatabaseSync(join(floe.dataDir, 'floe.db'), { readOnly: true });
  try {
    return database.prepare(sql).all(...parameters);
  } finally {
    database.close();
  }
}

function uidOf(id: string): string {
  const [row] = stored('select uid from monitors where id = ?', id);
  return String(row?.['uid']);
}

function checksOf(id: string) {
  return stored('select * from checks where uid = ? order by at, id', uidOf(id));
}

function beatUrl(id: string): string {
  const secret = loadInstallationSecretKey({ dataDir: floe.dataDir, given: SECRET });
  return `${floe.url}/beat/${deriveBeatToken(derivePlatformKeyPepper(secret.key), uidOf(id), 1)}`;
}

test('a beat has the specified response when it is committed', async () => {
  const sent = Date.now();
  const answer = await beat({ monitor_id: 'nightly', metadata: { host: 'db-1' } });
  assert.equal(answer.status, 200, answer.text);
  const body = bodyOf(answer);
  assert.deepEqual(Object.keys(body), [
    'ok',
    'monitor_id',
    'beat_id',
    'received_at',
    'status',
    'next_due_at',
  ]);
  const received = Date.parse(String(body['received_at']));
  assert.ok(Math.abs(received - sent) < 5_000);
  assert.equal(Date.parse(String(body['next_due_at'])), received + 1440 * 60_000);
  assert.deepEqual([body['ok'], body['monitor_id'], body['status']], [true, 'nightly', 'healthy']);
  assert.ok(answer.headers['x-request-id']);
  const [check] = checksOf('nightly');
  assert.equal(check?.['id'], body['beat_id']);
  assert.equal(check?.['metadata_json'], '{"host":"db-1"}');
});

test('a cron monitor is due at its local time', async () => {
  const body = bodyOf(await beat({ monitor_id: 'cron' }));
  const hour = new Intl.DateTimeFormat('en', { timeZone: 'Europe/Riga', hour: 'numeric', hourCycle: 'h23' });
  assert.equal(hour.format(new Date(String(body['next_due_at']))), '03');
});

test('every key with the scope beat or monitoring can send beats, in every header for keys', async () => {
  const ok = async (headers: HttpCallOptions['headers']) =>
    assert.equal((await beat({ monitor_id: 'nightly' }, headers)).status, 200);
  await ok({ 'x-api-key': BEAT_ONLY });
  await ok({ 'x-api-key': '', authorization: `Bearer ${KEY}` });
  await refused(beat({ monitor_id: 'nightly' }, { 'x-api-key': GATEWAY_ONLY }), 403, 'insufficient_scope');
  await refused(beat({ monitor_id: 'nightly' }, { 'x-api-key': '' }), 401, 'missing_api_key');
  await refused(beat({ monitor_id: 'nightly' }, { 'x-api-key': `eis_no${KEY}` }), 401, 'invalid_api_key');
  await refused(beat({ monitor_id: 'nightly' }, { 'x-api-key': OTHERS }), 404, 'monitor_not_found');
});

test('optional fields do not cause the rejection of a beat', async () => {
  const ways: [object | string, HttpCallOptions['headers'], RegExp | null][] = [
    [{ monitor_id: 'nightly', unknown: 1 }, { 'content-type': 'application/json' }, null],
    ['{"monitor_id":"nightly"}', {}, null],
    ['\ufeff {"monitor_id":"nightly"} ', { 'content-type': 'text/plain' }, null],
    ['{"monitor_id":"nightly"}', { 'content-type': 'application/x-www-form-urlencoded' }, null],
    [{ monitor_id: 'nightly', metadata: null }, {}, null],
    [{ monitor_id: 'nightly', metadata: 'text' }, {}, /is not a JSON object/],
    [{ monitor_id: 'nightly', metadata: [1] }, {}, /is not a JSON object/],
    [{ monitor_id: 'nightly', metadata: { big: 'x'.repeat(17_000) } }, {}, /maximum is 16384/],
  ];
  for (const [body, headers, dropped] of ways) {
    const answer = await beat(body, headers);
    assert.equal(answer.status, 200, answer.text);
    const told = bodyOf(answer)['metadata_dropped'];
    if (dropped) assert.match(String(told), dropped);
    else assert.equal(told, undefined);
  }
});

test('fields without effect are listed in the response, and the beat counts as successful', async () => {
  const answer = await beat({ monitor_id: 'nightly', status: 'fail', metadata: { status: 1 }, error: 'x' });
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(bodyOf(answer)['ignored_fields'], ['status', 'error']);
  assert.equal(bodyOf(answer)['status'], 'healthy');
  assert.equal(bodyOf(await beat({ monitor_id: 'nightly' }))['ignored_fields'], undefined);
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`${n}-${'x'.repeat(100)}`, n]));
  const listed = bodyOf(await beat({ monitor_id: 'nightly', ...many }))['ignored_fields'];
  assert.ok(Array.isArray(listed) && listed.length === 20);
  assert.ok(listed.every((name) => String(name).length <= 100));
});

test('an invalid beat is rejected with the field', async () => {
  assert.equal((await refused(beat({}), 400, 'missing_required_parameter'))['param'], 'monitor_id');
  for (const id of [7, null, '', {}, ['nightly']])
    assert.equal((await refused(beat({ monitor_id: id }), 400, 'invalid_request'))['param'], 'monitor_id');
  await refused(beat('[1]'), 400, 'invalid_request');
  for (const body of ['', '{', 'monitor_id=nightly']) await refused(beat(body), 400, 'invalid_json');
  await refused(beat({ monitor_id: 'nobody' }), 404, 'monitor_not_found');
  await refused(beat('x'.repeat(65 * 1024)), 413, 'request_too_large');
  const got = await callHttp(`${floe.url}/api/monitoring/heartbeat`, { headers: { 'x-api-key': KEY } });
  assert.deepEqual([got.status, got.headers['allow']], [405, 'POST']);
});

test('one idempotency key is one beat, sent simultaneously or later', async () => {
  const before = checksOf('nightly').length;
  const key = { 'idempotency-key': 'run-7' };
  const answers = await Promise.all([1, 2, 3].map(() => beat({ monitor_id: 'nightly' }, key)));
  answers.push(await beat({ monitor_id: 'nightly' }, key));
  const ids = new Set(answers.map((answer) => bodyOf(answer)['beat_id']));
  assert.equal(ids.size, 1);
  assert.equal(new Set(answers.map((answer) => bodyOf(answer)['received_at'])).size, 1);
  assert.equal(checksOf('nightly').length, before + 1);
});

test('reports of different kinds with one idempotency key are different beats', async () => {
  const before = checksOf('cron').length;
  const headers = { 'idempotency-key': 'run-8' };
  for (const path of ['/start', '/start', '', '/0', '/fail', '/1', '/log', ''])
    assert.equal((await callHttp(`${beatUrl('cron')}${path}`, { headers })).status, 200);
  const reported = checksOf('cron')
    .slice(before)
    .map(({ status }) => status);
  assert.deepEqual(reported, ['started', 'ok', 'failed', 'logged']);
});

test('long idempotency keys that differ only at their end are different beats', async () => {
  const before = checksOf('nightly').length;
  const send = (end: string) => beat({ monitor_id: 'nightly' }, { 'idempotency-key': 'k'.repeat(255) + end });
  const ids: unknown[] = [];
  for (const end of ['a', 'b', 'a']) ids.push(bodyOf(await send(end))['beat_id']);
  assert.deepEqual([ids[0] === ids[1], ids[0] === ids[2]], [false, true]);
  assert.equal(checksOf('nightly').length, before + 2);
});

test('beats that are too frequent are all accepted, and each is a row', async () => {
  const before = checksOf('nightly').length;
  const answers = await Promise.all(Array.from({ length: 300 }, () => beat({ monitor_id: 'nightly' })));
  assert.ok(answers.every(({ status }) => status === 200));
  assert.equal(checksOf('nightly').length, before + 300);
});

test('a report to a beat URL counts however large its body is', async () => {
  const before = checksOf('cron').length;
  for (const bytes of [1024, 17 * 1024 * 1024, 40 * 1024 * 1024]) {
    const answer = await callHttp(`${beatUrl('cron')}/fail`, { method: 'POST', body: 'x'.repeat(bytes) });
    assert.equal(answer.status, 200, answer.text);
  }
  const reported = checksOf('cron').slice(before);
  assert.deepEqual(
    reported.map(({ status, metadata_json: stored }) => [status, String(stored).length]),
    [1024, 16_384, 16_384].map((length) => ['failed', length + '{"body":""}'.length]),
  );
});

test('a beat URL accepts start, end, failure, log and exit status, as clients of other services send them', async () => {
  const url = beatUrl('by-url');
  const run = '?rid=6f1a3b52-5b1c-4f0e-9d7c-0a1b2c3d4e5f';
  const ok = async (path: string, options: HttpCallOptions = {}) => {
    const answer = await callHttp(`${url}${path}`, options);
    assert.deepEqual([answer.status, options.method === 'HEAD' ? 'OK' : answer.text], [200, 'OK'], path);
    assert.equal(answer.headers['ping-body-limit'], '16384');
  };
  await ok(`/start${run}`, { method: 'POST', body: 'begins' });
  await ok(`/log${run}`, { method: 'POST', body: 'half' });
  await ok(`/0${run.toUpperCase().replace('RID', 'rid')}`, { method: 'POST', body: 'x'.repeat(20_000) });
  await ok('', { method: 'HEAD' });
  await ok('/');
  await ok('/3', { method: 'POST', body: Buffer.from([0xff, 0x00, 0x41]) });
  await ok('/fail');
  const rows = checksOf('by-url');
  assert.deepEqual(
    rows.map((row) => row['status']),
    ['started', 'logged', 'ok', 'ok', 'ok', 'failed', 'failed'],
  );
  const [, , end, , , exit] = rows;
  assert.ok(Number(end?.['duration_ms']) >= 0 && end?.['duration_ms'] !== null);
  const kept = bodyText(end?.['metadata_json']);
  assert.equal(kept.length, 16_384);
  assert.match(String(exit?.['error']), /exit status 3/);
  assert.equal(stored('select status from monitor_clocks where id = ?', 'by-url')[0]?.['status'], 'failing');
  await ok('');
  const periods = stored(
    'select status from monitor_periods where uid = ? order by started_at',
    uidOf('by-url'),
  );
  assert.deepEqual(
    periods.map((row) => row['status']),
    ['waiting', 'healthy', 'failing', 'healthy'],
  );
});

function bodyText(json: unknown): string {
  const metadata: unknown = JSON.parse(String(json));
  assert.ok(isJsonObject(metadata));
  return String(metadata['body']);
}

test('an invalid beat URL has the same error as an unknown one', async () => {
  const url = beatUrl('by-url');
  const unknown = `${floe.url}/beat/00000000-0000-8000-8000-000000000000`;
  await refused(callHttp(unknown), 404, 'monitor_not_found');
  await refused(callHttp(`${floe.url}/beat/short`), 404, 'monitor_not_found');
  await refused(callHttp(`${url}/256`), 400, 'invalid_request');
  await refused(callHttp(`${url}/stop`), 400, 'invalid_request');
  await refused(callHttp(`${url}/start?rid=7`), 400, 'invalid_request');
  await refused(callHttp(url, { method: 'DELETE' }), 405, 'method_not_allowed');
  assert.equal((await callHttp(url.replace(/[^/]+$/, (token) => token.toUpperCase()))).status, 200);
  assert.equal((await callHttp(`${floe.url}/beat/a/b/c`)).status, 404);
});

test('a beat to a paused monitor is stored and does not end the pause', async () => {
  assert.equal(bodyOf(await beat({ monitor_id: 'paused' }))['status'], 'paused');
  assert.equal(checksOf('paused').length, 1);
});

test('the metrics count beats and monitors', async () => {
  const { text } = await callHttp(`${floe.url}/metrics`);
  assert.match(text, /^floe_beats_total\{kind="ok"\} [1-9]/m);
  assert.match(text, /^floe_beats_total\{kind="rejected"\} [1-9]/m);
  assert.match(text, /^floe_monitors\{status="paused"\} 1$/m);
});

test('a key that was imported by its hash can send beats', async () => {
  const answer = await beat({ monitor_id: 'nightly' }, { 'x-api-key': IMPORTED });
  assert.equal(answer.status, 200, answer.text);
});
