import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { callHttp, type SseFrame } from '@floe/testkit/http-client';
import { followEvents } from './test/follow-events.ts';
import { type RunningApi, runApi } from './test/running-api.ts';

let api: RunningApi;
let key: string;
before(async () => {
  api = await runApi();
  key = (await api.addKey('acme', { scopes: ['read'] })).key;
});
after(() => api.close());

const follow = (t: TestContext, query: string, headers: Record<string, string> = { 'x-api-key': key }) =>
  followEvents(t, `http://127.0.0.1:${api.port}/api/events?${query}`, headers);

const dataOf = ({ data }: SseFrame) => JSON.parse(data);

test('events are streamed over HTTP, and the stream can be resumed', async (t) => {
  const stream = await follow(t, 'topics=requests,config&model=gpt-5');
  assert.equal(stream.answer.headers['content-type'], 'text/event-stream; charset=utf-8');
  assert.equal(stream.answer.headers['cache-control'], 'no-store');
  const position = await stream.position();
  await api.addExchange('acme', { id: 'exc_tail' });
  await api.addExchange('other', { id: 'exc_far' });
  const { count, data } = dataOf(await stream.until(({ event }) => event === 'requests'));
  assert.deepEqual([count, data[0].id, data[0].model], [1, 'exc_tail', 'gpt-5']);
  stream.disconnect();
  const manager = await api.addKey('acme');
  await api.call('POST', '/api/management/keys', {
    key: manager.key,
    body: { name: 'told', scopes: ['gateway'] },
  });
  const again = await follow(t, 'topics=config', { 'x-api-key': key, 'last-event-id': position });
  const change = dataOf(await again.until(({ event }) => event === 'config'));
  assert.deepEqual([change.action, change.actor], ['keys.create', manager.id]);
});

test('a key that is revoked or loses its permission receives no more events', async (t) => {
  const manager = await api.addKey('acme');
  const reader = await api.addKey('acme', { scopes: ['management'] });
  const stream = await follow(t, 'topics=requests', { 'x-api-key': reader.key });
  await stream.position();
  const { status } = await api.call('DELETE', `/api/management/keys/${reader.id}`, { key: manager.key });
  assert.equal(status, 204);
  await stream.ended;
});

test('event streams require permission and valid parameters', async () => {
  const monitoring = await api.addKey('acme', { scopes: ['monitoring'] });
  const gateway = await api.addKey('acme', { scopes: ['gateway'] });
  const refusal = async (query: string, headers: Record<string, string>) => {
    const { status, text } = await callHttp(`http://127.0.0.1:${api.port}/api/events?${query}`, { headers });
    const { error } = JSON.parse(text);
    return [status, error.code, error.param];
  };
  const as = (value: string, more = {}) => ({ 'x-api-key': value, ...more });
  assert.deepEqual((await refusal('', {}))[0], 401);
  assert.deepEqual((await refusal('', as(gateway.key))).slice(0, 2), [403, 'insufficient_scope']);
  assert.deepEqual((await refusal('topics=requests', as(monitoring.key))).slice(0, 2), [
    403,
    'insufficient_scope',
  ]);
  assert.deepEqual(await refusal('topics=weather', as(key)), [400, 'invalid_request', 'topics']);
  assert.deepEqual(await refusal('status=often', as(key)), [400, 'invalid_request', 'status']);
  assert.deepEqual(await refusal('owner=%00', as(key)), [400, 'invalid_request', 'owner']);
  assert.deepEqual(await refusal('', as(key, { 'last-event-id': 'yesterday' })), [
    400,
    'invalid_request',
    'Last-Event-ID',
  ]);
});

test('disconnected clients and HEAD requests occupy no slot', async (t) => {
  const before = api.live.watcherCount;
  const { status } = await api.call('HEAD', '/api/events', { key });
  assert.equal(status, 200);
  const stream = await follow(t, '');
  await stream.position();
  assert.equal(api.live.watcherCount, before + 1);
  stream.disconnect();
  for (let turns = 0; turns < 10_000 && api.live.watcherCount > before; turns++)
    await new Promise((resolve) => setImmediate(resolve));
  assert.equal(api.live.watcherCount, before);
});
