import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startFakeUpstream } from '@floe/testkit/fake-upstream';
import { createJsonReply } from '@floe/testkit/upstream-reply';
import { runApi } from './test/running-api.ts';

const KEY = 'sk-a-key-that-must-never-be-shown-4321';
const LIST = { object: 'list', data: [{ id: 'large' }, { id: 'small' }] };

async function start(t: TestContext, respond: () => ReturnType<typeof createJsonReply>) {
  const upstream = await startFakeUpstream({ respond });
  const api = await runApi();
  t.after(async () => {
    await api.close();
    await upstream.close();
  });
  const { key } = await api.addKey('acme');
  const ask = (method: string, path: string, body?: unknown) =>
    api.call(method, `/api/management/providers${path}`, { key, body });
  const main = { id: 'main', kind: 'openai-compatible', base_url: `${upstream.url}/v1`, api_key: KEY };
  return { ...api, ask, upstream, main };
}

test('a test requests the model list with the key, returns the result, and stores it with the key', async (t) => {
  const { ask, upstream, main } = await start(t, () => createJsonReply(LIST));
  await ask('POST', '', main);
  const { status, body, text } = await ask('POST', '/main/credentials/default/test');
  assert.equal(status, 200, text);
  assert.deepEqual(
    [body['ok'], body['method'], body['status'], body['models'], body['message']],
    [true, 'models', 200, 2, 'Success: the provider lists 2 models.'],
  );
  const [request] = await upstream.waitForRequests(1);
  assert.deepEqual([request?.method, request?.path], ['GET', '/v1/models']);
  assert.equal(request?.headers['authorization'], `Bearer ${KEY}`);
  const shown = await ask('GET', '/main/credentials/default');
  assert.deepEqual(shown.body['test'], body);
  assert.equal(
    (await ask('PATCH', '/main/credentials/default', { api_key: `${KEY}-new` })).body['test'],
    null,
  );
  assert.equal((await ask('POST', '/main/credentials/other/test')).status, 404);
});

test('a draft is tested before it is stored, and nothing is stored', async (t) => {
  const { ask, upstream, main, database } = await start(t, () => createJsonReply({ choices: [] }));
  const { body } = await ask('POST', '/test', { ...main, test_model: 'large' });
  assert.deepEqual([body['ok'], body['method']], [true, 'completion']);
  const [request] = await upstream.waitForRequests(1);
  assert.equal(request?.path, '/v1/chat/completions');
  assert.equal((await database.read.selectFrom('config_entries').selectAll().execute()).length, 0);
});

test('a stored key is not sent to another URL, not even for a test', async (t) => {
  const { ask, main, upstream } = await start(t, () => createJsonReply(LIST));
  await ask('POST', '', main);
  const draft = {
    id: 'main',
    kind: 'openai-compatible',
    base_url: 'http://127.0.0.1:9/v1',
    credentials: [{ name: 'default' }],
  };
  const { status, text } = await ask('POST', '/test', draft);
  assert.equal(status, 400, text);
  assert.match(text, /must be sent again/);
  const same = await ask('POST', '/test', { ...draft, base_url: main.base_url });
  assert.equal(same.body['ok'], true, same.text);
  assert.equal((await upstream.waitForRequests(1))[0]?.headers['authorization'], `Bearer ${KEY}`);
});

for (const [name, reply, expected] of [
  [
    'a response without end',
    createJsonReply({ data: 'x'.repeat(5 << 20) }),
    /^The test failed: the response is larger than 4 MB\.$/,
  ],
  [
    'a refused key',
    createJsonReply({ error: { message: 'Incorrect API key' } }, 401),
    /rejected the credential \(401\): Incorrect API key\./,
  ],
  [
    'an upstream that repeats the key',
    createJsonReply({ error: { message: `Incorrect key ${KEY.slice(0, 20)}` } }, 401),
    /rejected the credential \(401\)\. Check/,
  ],
  [
    'a limit',
    createJsonReply({ error: { message: 'Slow down' } }, 429),
    /rejected the request because of a rate limit or quota \(429\): Slow down\./,
  ],
  [
    'a wrong path',
    createJsonReply({}, 404),
    /The URL( or the model)? does not exist \(404\)\. Check base_url/,
  ],
  ['a page instead of a list', createJsonReply({ hello: 'world' }), /not a model list/],
  [
    'an upstream that is down',
    createJsonReply({ error: 'maintenance' }, 503),
    /returned status 503: maintenance\./,
  ],
] as const)
  test(`${name} is reported in plain words and without the key`, async (t) => {
    const { ask, main } = await start(t, () => reply);
    const { status, body, text } = await ask('POST', '/test', main);
    assert.equal(status, 200, text);
    assert.equal(body['ok'], false);
    assert.match(String(body['message']), expected);
    assert.ok(!text.includes(KEY.slice(0, 12)), text);
  });

test('an unreachable URL is reported in plain words', async (t) => {
  const { ask, main } = await start(t, () => createJsonReply(LIST));
  const { body } = await ask('POST', '/test', { ...main, base_url: 'http://127.0.0.1:1/v1' });
  assert.match(String(body['message']), /connection was refused/);
});

test('the model list states the source of each model, its price, and the keys that may use it', async (t) => {
  const { call, addKey } = await start(t, () => createJsonReply(LIST));
  const { key } = await addKey('acme', { name: 'admin' });
  await addKey('acme', { name: 'narrow', models_json: '["one/a"]' });
  const send = (method: string, path: string, body?: unknown) =>
    call(method, `/api/management/${path}`, { key, body });
  await send('POST', 'providers', {
    id: 'one',
    kind: 'openai-compatible',
    base_url: 'http://127.0.0.1:9/v1',
    models: ['a', 'b'],
    prices: { a: { input: 1, output: 2 } },
  });
  await send('POST', 'routes', { model: 'smart', targets: ['one/a', 'one/b'] });
  const { body, text } = await send('GET', 'models');
  const [first, second, alias] = [0, 1, 2].map((at) => body['data']?.[at]);
  assert.deepEqual([first?.['id'], second?.['id'], alias?.['id']], ['one/a', 'one/b', 'smart'], text);
  assert.deepEqual(first?.['aliases'], ['smart']);
  assert.deepEqual([first?.['prices']?.['input_usd'], first?.['prices']?.['source']], [1, 'override']);
  assert.equal(Number(first?.['keys']?.['count']) - Number(second?.['keys']?.['count']), 1);
  assert.deepEqual(alias?.['targets'], ['one/a', 'one/b']);
  await send('PATCH', 'providers/one', { enabled: false });
  assert.equal((await send('GET', 'models?provider=one')).body['data']?.['length'], 0);
});
