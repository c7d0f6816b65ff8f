import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { alertResource } from '@floe/contract/api/channels';
import { apiErrorBody } from '@floe/contract/api/errors';
import { createPageSchema } from '@floe/contract/api/page';
import { enqueueAlert } from '../alerts/alert.ts';
import { createFailingAlert } from '../alerts/test/test-outbox.ts';
import { startWebhookReceiver } from '../alerts/test/webhook-receiver.ts';
import { closeAlerts } from '../store/alerts.ts';
import { API_TEST_NOW, type RunningApi, runApi, testChannels } from './test/running-api.ts';

const CHANNELS = '/api/monitoring/channels';
const URL_SECRET = 'T0PSECRET';
let api: RunningApi;
let key: string;
let foreign: string;
before(async () => {
  api = await runApi();
  key = (await api.addKey('acme')).key;
  foreign = (await api.addKey('other')).key;
});
after(() => api.close());

const hook = (name: string, more: object = {}) => ({
  name,
  kind: 'webhook',
  url: `https://hooks.example/${URL_SECRET}`,
  ...more,
});
const paramOf = (body: unknown) => apiErrorBody.parse(body).error.param;
const create = (body: object) => api.call('POST', CHANNELS, { key, body });

test('a channel is created, read, changed and removed, and its secrets are never shown or stored in plain text', async () => {
  const made = await create(hook('ops', { secret: 'S3CRET', events: ['budget'] }));
  assert.equal(made.status, 201);
  const { id } = made.body;
  assert.deepEqual([made.body.name, made.body.url_origin], ['ops', 'https://hooks.example']);
  const path = `${CHANNELS}/${id}`;
  const changed = await api.call('PATCH', path, { key, body: { secret: 'N3WSECRET', events: null } });
  assert.deepEqual([changed.status, changed.body.events], [200, null]);
  const listed = await api.call('GET', CHANNELS, { key });
  const audit = await api.call('GET', `/api/management/audit?subject=${id}`, { key });
  const actions = [...audit.text.matchAll(/"action":"(channels\.\w+)"/g)].map(([, action]) => action);
  assert.deepEqual(actions.sort(), ['channels.create', 'channels.update']);
  const rows = await api.database.read.selectFrom('channels').selectAll().execute();
  for (const shown of [made.text, changed.text, listed.text, audit.text, JSON.stringify(rows)])
    for (const secret of ['S3CRET', 'N3WSECRET', URL_SECRET]) assert.ok(!shown.includes(secret));
  assert.equal((await api.call('DELETE', path, { key })).status, 204);
  assert.equal((await api.call('GET', path, { key })).status, 404);
});

test('PUT accepts what GET returned, keeps the secrets, can be repeated, and creates what does not exist', async () => {
  const path = `${CHANNELS}/gitops`;
  const made = await api.call('PUT', path, { key, body: hook('gitops', { realert_minutes: 60 }) });
  assert.deepEqual([made.status, made.body.realert_minutes], [200, 60]);
  const read = await api.call('GET', path, { key });
  for (let times = 0; times < 2; times++) {
    const put = await api.call('PUT', path, { key, body: read.body });
    assert.deepEqual(
      [put.status, put.body.id, put.body.url_origin],
      [200, made.body.id, 'https://hooks.example'],
    );
  }
  const {
    name: _,
    realert_minutes: __,
    ...rest
  } = hook('gitops', { realert_minutes: 1 }) as Record<string, unknown>;
  assert.equal((await api.call('PUT', path, { key, body: rest })).body.realert_minutes, 0);
});

test('an invalid channel is a 400 that names the field', async () => {
  const cases: readonly (readonly [object, string])[] = [
    [hook('x', { realert_minutes: 0.001 }), 'realert_minutes'],
    [hook('x', { secret: 'whsec_' }), 'secret'],
    [hook('x', { secret: 'whsec_not!base64' }), 'secret'],
    [hook('x', { secret: 'whsec_YWJjZA' }), 'secret'],
    [{ name: 'x', kind: 'webhook' }, 'url'],
    [hook('x', { to: ['a@acme.example'] }), 'to'],
    [hook('UPPER'), 'name'],
    [hook('x', { colour: 'red' }), 'colour'],
    [{ name: 'x', kind: 'email', to: ['nobody'] }, 'to[0]'],
    [{ name: 'x', kind: 'telegram', bot_token: '1:a' }, 'chat_id'],
  ];
  for (const [body, param] of cases) {
    const { status, body: answer } = await create(body);
    assert.deepEqual([status, paramOf(answer)], [400, param], JSON.stringify(body));
  }
  await create(hook('taken'));
  assert.equal((await create(hook('taken'))).status, 409);
});

test('a credential must be sent again if the URL moves to another origin', async () => {
  const made = await create({ name: 'push', kind: 'ntfy', url: 'https://ntfy.example/a', token: 'tk' });
  const patch = (body: object) => api.call('PATCH', `${CHANNELS}/${made.body.id}`, { key, body });
  assert.equal((await patch({ url: 'https://ntfy.example/b' })).status, 200);
  const moved = await patch({ url: 'https://evil.example/b' });
  assert.deepEqual([moved.status, paramOf(moved.body)], [400, 'token']);
  assert.equal((await patch({ url: 'https://new.example/b', token: 'tk2' })).status, 200);
});

test('channels of another organization are not found', async () => {
  const made = await create(hook('ours'));
  for (const [method, path] of [
    ['GET', made.body.id],
    ['GET', 'ours'],
    ['PATCH', made.body.id],
    ['DELETE', made.body.id],
    ['POST', `${made.body.id}/test`],
  ] as const) {
    const body = method === 'PATCH' ? { body: {} } : {};
    assert.equal(
      (await api.call(method, `${CHANNELS}/${path}`, { key: foreign, ...body })).status,
      404,
      method,
    );
  }
  assert.deepEqual((await api.call('GET', CHANNELS, { key: foreign })).body.data, []);
});

test('a stored channel and a draft are tested with one message', async (t) => {
  const receiver = await startWebhookReceiver(t);
  const made = await create({ ...hook('tested'), url: receiver.url });
  const stored = await api.call('POST', `${CHANNELS}/${made.body.id}/test`, { key });
  assert.deepEqual([stored.status, stored.body.ok, stored.body.status], [200, true, 200]);
  const draft = { ...hook('draft'), url: `${receiver.url}/draft` };
  assert.equal((await api.call('POST', `${CHANNELS}/test`, { key, body: draft })).body.ok, true);
  assert.deepEqual(
    receiver.received.map(({ path, json }) => [path, json['type']]),
    [
      ['/', 'test'],
      ['/draft', 'test'],
    ],
  );
  const metadata = { ...hook('draft'), url: 'http://169.254.169.254/latest' };
  const refused = await api.call('POST', `${CHANNELS}/test`, { key, body: metadata });
  assert.equal(refused.body.ok, false);
  assert.match(String(refused.body.error), /metadata/);
  assert.equal(testChannels.baseUrl(), 'https://floe.example');
});

test('the log shows alerts with their fields to their organization only', async () => {
  await api.database.transaction((writer) => enqueueAlert(writer, createFailingAlert('nightly')));
  const read = (query: string, as = key) => api.call('GET', `/api/monitoring/alerts${query}`, { key: as });
  const [entry, ...others] = createPageSchema(alertResource).parse(
    (await read('?subject=nightly')).body,
  ).data;
  assert.ok(entry);
  assert.equal(others.length, 0);
  assert.deepEqual([entry.title, entry.closed_at, entry.deliveries], ['Job nightly is failing', null, []]);
  assert.equal(entry.fields['failing_since'], '2026-11-21T11:57:55.000Z');
  for (const query of ['?event=budget', '?state=sent', '?channel=ops', '?to=2026-01-01T00:00:00Z'])
    assert.deepEqual((await read(query)).body.data, [], query);
  assert.deepEqual((await read('', foreign)).body.data, []);
});

test('a budget alert is an event without an end, also after it was routed', async () => {
  const fields = {
    budgetId: 'bud_1',
    share: 0.5,
    spentNanoUsd: 540_000_000,
    limitNanoUsd: 1_000_000_000,
    period: '2026-11-01',
    mode: 'hard',
    resetsAtMs: null,
  } as const;
  const subject = { kind: 'budget', id: 'half', name: 'half' } as const;
  const common = { orgId: 'acme', idempotencyKey: 'half', at: API_TEST_NOW, channels: null };
  await api.database.transaction(async (writer) => {
    await enqueueAlert(writer, { ...common, event: 'budget', subject, fields });
    const { seq } = await writer
      .selectFrom('alerts')
      .select('seq')
      .where('subject_id', '=', 'half')
      .executeTakeFirstOrThrow();
    // As the routing does with every alert that begins nothing.
    await closeAlerts(writer, [seq], API_TEST_NOW);
  });
  const { body } = await api.call('GET', '/api/monitoring/alerts?subject=half', { key });
  assert.deepEqual([body.data?.[0]?.event, body.data?.[0]?.closed_at], ['budget', null]);
});
