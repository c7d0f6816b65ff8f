// Policies on requests that Floe forwards without parsing, through the real server.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isJsonObject } from '@floe/contract/json';
import { type FakeUpstream, startFakeUpstream } from '@floe/testkit/fake-upstream';
import { type FloeProcess, startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp } from '@floe/testkit/http-client';
import { createJsonReply } from '@floe/testkit/upstream-reply';
import { waitForRows } from './wait-for-rows.ts';

const KEY = `eis_full${'0'.repeat(32)}`;
const BATCHES = '/gateway/passthrough-b/v1/messages/batches';
let upstream: FakeUpstream;
let floe: FloeProcess;

before(async () => {
  upstream = await startFakeUpstream({ script: [createJsonReply({ id: 'x_1', type: 'message_batch' })] });
  const policy = { on: 'request', mode: 'enforce' };
  const org = {
    id: 'acme',
    keys: [{ name: 'full', key: KEY, scopes: ['gateway', 'read'] }],
    providers: [{ id: 'up', kind: 'anthropic', base_url: upstream.url, api_key: 'secret', models: ['m'] }],
    policies: [
      { ...policy, name: 'cap', when: 'request.max_tokens > 8000', action: 'deny' },
      { ...policy, name: 'cards', detect: { pii: ['credit_card'] }, action: 'deny' },
    ],
  };
  floe = await startFloeProcess({ yaml: JSON.stringify({ orgs: [org] }) });
});
after(async () => {
  await floe.stop();
  await upstream.close();
});

const call = (path: string, body: object | string, headers = {}) =>
  callHttp(floe.url + path, { body, headers: { authorization: `Bearer ${KEY}`, ...headers } });

async function policyDecisions(id: string | undefined): Promise<string[]> {
  const row = (await waitForRows(floe.url, KEY, [id ?? ''])).get(id ?? '');
  const decisions = Array.isArray(row?.['decisions']) ? row['decisions'].filter(isJsonObject) : [];
  return decisions
    .filter(({ step }) => step === 'policy')
    .map(({ outcome, reason }) => `${outcome} ${reason}`);
}

test('a batch with a prompt that a policy denies is not sent to the provider', async () => {
  const batch = (...caps: readonly number[]) => ({
    requests: caps.map((max_tokens, at) => ({
      custom_id: `c${at}`,
      params: { model: 'm', max_tokens, messages: [{ role: 'user', content: 'Hi' }] },
    })),
  });
  const denied = await call(BATCHES, batch(10, 9000));
  assert.equal(denied.status, 403, denied.text);
  assert.match(denied.text, /\\"cap\\"/);
  assert.equal(upstream.requests.length, 0);
  const sent = await call(BATCHES, batch(10, 20));
  assert.equal(sent.status, 200, sent.text);
});

test('JSON with another content type is not forwarded without an evaluation', async () => {
  const prompt = { model: 'm', max_tokens: 9000, messages: [{ role: 'user', content: 'Hi' }] };
  const before = upstream.requests.length;
  for (const type of [
    'application/octet-stream',
    'application/pdf',
    'audio/mpeg',
    'multipart/form-data; boundary=b',
  ])
    for (const [path, body] of [
      [BATCHES, { requests: [{ custom_id: 'c', params: prompt }] }],
      ['/gateway/passthrough-b/v1/messages/count_tokens', prompt],
    ] as const) {
      const denied = await call(path, JSON.stringify(body), { 'content-type': type });
      assert.equal(denied.status, 415, `${type} ${path}: ${denied.text}`);
    }
  assert.equal(upstream.requests.length, before);
});

test('the row of an upload states that request policies were not evaluated', async () => {
  const form =
    '--b\r\ncontent-disposition: form-data; name="file"; filename="f"\r\n\r\n4111 1111 1111 1111\r\n--b--\r\n';
  const headers = { 'content-type': 'multipart/form-data; boundary=b' };
  const sent = await call('/gateway/passthrough-b/v1/files', form, headers);
  assert.equal(sent.status, 200, sent.text);
  assert.deepEqual(await policyDecisions(sent.headers['x-request-id']), [
    'not_evaluated Floe does not apply policies to forms and files',
  ]);
});
