// Models that a prompt names next to its `model`, through the real server.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type FakeUpstream, startFakeUpstream } from '@floe/testkit/fake-upstream';
import { type FloeProcess, startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp } from '@floe/testkit/http-client';
import { createJsonReply } from '@floe/testkit/upstream-reply';

const keyOf = (name: string) => `eis_${name}${'0'.repeat(32)}`;
let upstream: FakeUpstream;
let floe: FloeProcess;

before(async () => {
  upstream = await startFakeUpstream({ script: [createJsonReply({ error: { message: 'no' } }, 400)] });
  const provider = { api_key: 'secret', models: ['small', 'large'] };
  const org = {
    id: 'acme',
    keys: [
      { name: 'full', key: keyOf('full'), scopes: ['gateway'] },
      { name: 'narrow', key: keyOf('narrow'), scopes: ['gateway'], models: ['*/small'] },
    ],
    providers: [
      { id: 'a', kind: 'openai', base_url: `${upstream.url}/v1`, ...provider },
      { id: 'b', kind: 'anthropic', base_url: upstream.url, ...provider },
    ],
    limits: [{ name: 'of-large', scope: 'org', model: '*/large', rpm: 2 }],
  };
  const open = { id: 'c', kind: 'openai', base_url: `${upstream.url}/v1`, api_key: 'secret', models: ['*'] };
  const counted = {
    id: 'counted',
    keys: [{ name: 'counted', key: keyOf('counted'), scopes: ['gateway'] }],
    providers: [open],
    limits: [
      { name: 'of-all', scope: 'org', rpm: 1 },
      { name: 'of-other', scope: 'org', model: '*/other', rpm: 9 },
    ],
  };
  floe = await startFloeProcess({ yaml: JSON.stringify({ orgs: [org, counted] }) });
});
after(async () => {
  await floe.stop();
  await upstream.close();
});

const turn = [{ role: 'user', content: 'Hi' }];
/** A prompt for an allowed model that also names another one, by the way that a provider reads it. */
const promptsWith = (other: string) => [
  { path: '/gateway/v1/chat/completions', body: { model: 'a/small', messages: turn, models: [other] } },
  {
    path: '/gateway/v1/responses',
    body: {
      model: 'a/small',
      input: turn,
      store: false,
      tools: [{ type: 'image_generation', model: other }],
    },
  },
  {
    path: '/gateway/v1/messages',
    body: { model: 'b/small', max_tokens: 5, messages: turn, fallbacks: [{ model: other }] },
  },
];
const send = (key: string, { path, body }: { path: string; body: object }) =>
  callHttp(floe.url + path, { body, headers: { authorization: `Bearer ${keyOf(key)}` } });

/** Returns how many prompts the provider received. The server also reads its model list. */
const countPrompts = () => upstream.requests.filter(({ method }) => method === 'POST').length;

test('a key may use only allowed models, wherever a prompt names them', async () => {
  for (const prompt of promptsWith('large')) {
    const refused = await send('narrow', prompt);
    assert.equal(refused.status, 403, `${prompt.path} ${refused.text}`);
    assert.match(refused.text, /large/);
  }
  const tools = '[{"type":"image_generation","mod\\u0065l":"large"}]';
  const body = `{"model":"a/small","input":"Hi","store":false,"tools":${tools}}`;
  const headers = { authorization: `Bearer ${keyOf('narrow')}`, 'content-type': 'application/json' };
  const escaped = await callHttp(`${floe.url}/gateway/v1/responses`, { body, headers });
  assert.equal(escaped.status, 403, escaped.text);
  assert.equal(countPrompts(), 0);
  for (const prompt of promptsWith('small')) await send('narrow', prompt);
  assert.equal(countPrompts(), 3);
});

test('a limit on a model counts prompts that name the model as a fallback', async () => {
  const statuses: number[] = [];
  for (const prompt of promptsWith('large')) statuses.push((await send('full', prompt)).status);
  assert.deepEqual(statuses, [400, 400, 429]);
});

test('the allowlist also applies to the models that an embeddings request names', async () => {
  const path = '/gateway/v1/embeddings';
  const refused = await send('narrow', {
    path,
    body: { model: 'a/small', input: 'x', fallbacks: ['large'] },
  });
  assert.equal(refused.status, 403, refused.text);
});

test('a request whose models are ambiguous is invalid, and rate limits count it', async () => {
  const headers = { authorization: `Bearer ${keyOf('counted')}`, 'content-type': 'application/json' };
  const body = '{"model":"c/m","input":"Hi","tools":[{"type":"x","model":"m","model":"other"}]}';
  const statuses: number[] = [];
  for (let n = 0; n < 2; n++)
    statuses.push((await callHttp(`${floe.url}/gateway/v1/responses`, { body, headers })).status);
  assert.deepEqual(statuses, [400, 429]);
});
