// Limits and budgets of certain models on requests that Floe forwards without parsing.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type FakeUpstream, startFakeUpstream } from '@floe/testkit/fake-upstream';
import { type FloeProcess, startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp } from '@floe/testkit/http-client';
import { createJsonReply } from '@floe/testkit/upstream-reply';

const keyOf = (org: string) => `eis_${org}${'0'.repeat(32)}`;
let upstream: FakeUpstream;
let floe: FloeProcess;

before(async () => {
  upstream = await startFakeUpstream({ script: [createJsonReply({ id: 'x_1', created: 1, data: [] })] });
  const orgOf = (id: string, more: object) => ({
    id,
    keys: [{ name: 'full', key: keyOf(id), scopes: ['gateway', 'read'] }],
    providers: [
      {
        id: 'a',
        kind: 'openai',
        base_url: `${upstream.url}/v1`,
        api_key: 'secret',
        models: ['m', 'n'],
        prices: { m: { input: 1, output: 1000 }, n: { input: 1, output: 1000 } },
      },
      { id: 'b', kind: 'anthropic', base_url: upstream.url, api_key: 'secret', models: ['m', 'n'] },
    ],
    passthrough: { a: ['a'], b: ['b'] },
    ...more,
  });
  const limit = { scope: 'org', rpm: 1 };
  const orgs = [
    orgOf('limited', { limits: ['a', 'b'].map((id) => ({ ...limit, name: `of-${id}`, model: `${id}/m` })) }),
    orgOf('paying', { budgets: [{ name: 'cap', scope: 'org', period: 'total', limit_usd: 1 }] }),
  ];
  floe = await startFloeProcess({ yaml: JSON.stringify({ orgs }) });
});
after(async () => {
  await floe.stop();
  await upstream.close();
});

const call = (org: string, path: string, body: object | string, headers = {}) =>
  callHttp(floe.url + path, { body, headers: { authorization: `Bearer ${keyOf(org)}`, ...headers } });

const FORM = { 'content-type': 'multipart/form-data; boundary=b' };
const form = (model: string) =>
  ['model', 'file']
    .map((name) => `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${model}\r\n`)
    .join('')
    .concat('--b--\r\n');
const batch = (model: string) => ({
  requests: [{ custom_id: 'c', params: { model, max_tokens: 5, messages: [] } }],
});

test('a limit on a model counts every request that names the model', async () => {
  const images = (model: string) => call('limited', '/gateway/v1/images/generations', { model, prompt: 'x' });
  assert.notEqual((await images('a/m')).status, 429);
  for (const refused of [
    await images('a/m'),
    await call('limited', '/gateway/passthrough-a/v1/images/generations', { model: 'm', prompt: 'x' }),
    await call('limited', '/gateway/v1/audio/speech', { model: 'a/m', input: 'x', voice: 'v' }),
    await call('limited', '/gateway/v1/audio/transcriptions', form('a/m'), FORM),
  ]) {
    assert.equal(refused.status, 429, refused.text);
    assert.match(refused.text, /of-a/);
  }
  assert.notEqual((await images('a/n')).status, 429, 'another model');
});

test('a limit on a model counts a batch with a prompt for the model', async () => {
  const path = '/gateway/passthrough-b/v1/messages/batches';
  assert.equal((await call('limited', path, batch('m'))).status, 200);
  assert.equal((await call('limited', path, batch('m'))).status, 429);
  assert.equal((await call('limited', path, batch('n'))).status, 200);
});

test('a hard budget reserves the cost of all choices that a request asks for', async () => {
  const path = '/gateway/passthrough-a/v1/completions';
  // 500 tokens cost $0.50.
  const ask = (more: object) => call('paying', path, { model: 'm', prompt: 'x', max_tokens: 500, ...more });
  for (const more of [{ n: 3 }, { best_of: 3 }]) {
    const refused = await ask(more);
    assert.equal(refused.status, 402, refused.text);
  }
  assert.equal((await ask({ n: 1 })).status, 200);
});
