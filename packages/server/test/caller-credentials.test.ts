// What callers bring along, and the way out, hold for every surface: native paths and vectors too.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { type FakeUpstream, startFakeUpstream } from '@floe/testkit/fake-upstream';
import { type FloeProcess, startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp, type HttpCallResponse } from '@floe/testkit/http-client';
import type { ReceivedRequest } from '@floe/testkit/upstream-connection';
import { createJsonReply, type UpstreamReply } from '@floe/testkit/upstream-reply';

const KEY = `eis_${randomBytes(24).toString('hex')}`;
const IMPORTED_KEY = `sk-${randomBytes(16).toString('hex')}`;
const MESSAGE = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [{ type: 'text', text: 'good' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 3, output_tokens: 1 },
};
const VECTORS = { object: 'list', data: [{ object: 'embedding', index: 0, embedding: [1] }], model: 'm' };
/** Credentials the fake does not accept, and those it has had enough of. */
const REFUSED = 'gone';
const LIMITED = 'busy';

let upstream: FakeUpstream;
let floe: FloeProcess;

before(async () => {
  upstream = await startFakeUpstream({ respond });
  const models = ['m'];
  const seats = { kind: 'anthropic', base_url: upstream.url, credential_source: 'caller', models };
  const own = { ...seats, kind: 'openai', base_url: `${upstream.url}/v1` };
  const behindProxy = {
    ...own,
    credential_source: 'provider',
    api_key: 'ours',
    // Nothing listens there: what goes round it reaches the fake.
    outbound: { proxy: 'http://127.0.0.1:9' },
  };
  const org = {
    id: 'acme',
    keys: [
      { name: 'one', key: KEY, scopes: ['gateway'] },
      {
        name: 'imported',
        imported_hash: `sha256:${createHash('sha256').update(IMPORTED_KEY).digest('hex')}`,
        imported_from: 'litellm',
      },
    ],
    providers: [
      { id: 'seats', ...seats },
      { id: 'own', ...own },
      { id: 'proxied', ...behindProxy },
    ],
    passthrough: { a: ['proxied'], b: ['seats'] },
    routes: [{ model: '*', retries: 0 }],
  };
  floe = await startFloeProcess({ yaml: JSON.stringify({ orgs: [org] }) });
});
after(async () => {
  await floe.stop();
  await upstream.close();
});

function respond({ path, headers }: ReceivedRequest): UpstreamReply {
  const shown = `${headers['authorization']} ${headers['x-api-key']}`;
  if (shown.includes(REFUSED))
    return createJsonReply({ type: 'error', error: { type: 'authentication_error' } }, 401);
  if (shown.includes(LIMITED))
    return createJsonReply({ type: 'error', error: { type: 'rate_limit_error' } }, 429);
  return createJsonReply(path.includes('embeddings') ? VECTORS : MESSAGE);
}

const last = () => upstream.requests.at(-1) ?? assert.fail('the upstream was not asked');

function ask(path: string, credential: string | null, model: string): Promise<HttpCallResponse> {
  const headers = {
    'x-floe-key': KEY,
    ...(credential !== null && { authorization: `Bearer ${credential}` }),
  };
  const body = { model, max_tokens: 9, messages: [{ role: 'user', content: 'x' }], input: 'x' };
  return callHttp(floe.url + path, { headers, body });
}

const NATIVE = '/gateway/passthrough-b/v1/messages';
const MESSAGES = '/gateway/v1/messages';
const EMBEDDINGS = '/gateway/v1/embeddings';

test("the caller's credential is forwarded on native paths and for embeddings", async () => {
  for (const [path, model] of [
    [NATIVE, 'm'],
    [MESSAGES, 'seats/m'],
    [EMBEDDINGS, 'own/m'],
  ] as const) {
    const answer = await ask(path, 'seat-token', model);
    assert.equal(answer.status, 200, answer.text);
    assert.equal(last().headers['authorization'], 'Bearer seat-token', path);
    assert.ok(!JSON.stringify(last().headers).includes(KEY));
    const count = upstream.requests.length;
    assert.equal((await ask(path, null, model)).status, 401, path);
    assert.equal(upstream.requests.length, count, 'nobody is asked without one');
  }
});

test('a rejected or rate limited caller credential does not affect other callers', async () => {
  for (const path of [NATIVE, MESSAGES]) {
    const model = path === NATIVE ? 'm' : 'seats/m';
    for (let times = 0; times < 6; times += 1) {
      assert.equal((await ask(path, REFUSED, model)).status, 502);
      assert.equal((await ask(path, LIMITED, model)).status, 429);
      assert.match(last().headers['authorization'] ?? '', /busy/, 'asked each time');
    }
    assert.equal((await ask(path, 'good', model)).status, 200, path);
  }
});

test('with a proxy, every surface uses it', async () => {
  const count = upstream.requests.length;
  for (const [path, model] of [
    ['/gateway/passthrough-a/v1/chat/completions', 'm'],
    ['/gateway/v1/chat/completions', 'proxied/m'],
    ['/gateway/v1/images/generations', 'proxied/m'],
    [EMBEDDINGS, 'proxied/m'],
  ] as const) {
    const answer = await ask(path, null, model);
    assert.equal(answer.status, 502, path);
    assert.match(answer.text, /upstream_unreachable/);
  }
  assert.equal(upstream.requests.length, count);
});

test("an imported key is never sent to a provider as the caller's credential", async () => {
  const body = { model: 'seats/m', max_tokens: 9, messages: [{ role: 'user', content: 'x' }] };
  const authorization = `Bearer ${IMPORTED_KEY}`;
  for (const [path, model] of [
    [MESSAGES, 'seats/m'],
    [NATIVE, 'm'],
  ] as const) {
    const call = (headers: Record<string, string>) =>
      callHttp(floe.url + path, { headers, body: { ...body, model } });
    const count = upstream.requests.length;
    assert.equal((await call({ authorization })).status, 401, path);
    assert.equal(upstream.requests.length, count, path);
    const answer = await call({ authorization, 'x-api-key': 'seat-token', 'x-note': `is ${IMPORTED_KEY}` });
    assert.equal(answer.status, 200, answer.text);
    assert.ok(JSON.stringify(last().headers).includes('seat-token'), path);
    assert.ok(!JSON.stringify(last().headers).includes(IMPORTED_KEY), path);
  }
});
