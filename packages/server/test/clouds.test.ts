// Clouds that sign: Claude through InvokeModel and rawPredict, Gemini on Vertex, and who is believed to be whom.
import assert from 'node:assert/strict';
import { createVerify, generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { convertSseToEventStream } from '@floe/testkit/amazon-event-stream';
import { type FakeUpstream, startFakeUpstream } from '@floe/testkit/fake-upstream';
import { type FloeProcess, startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp } from '@floe/testkit/http-client';
import type { ReceivedRequest } from '@floe/testkit/upstream-connection';
import { createJsonReply, type UpstreamReply } from '@floe/testkit/upstream-reply';
import OpenAI from 'openai';
import { parseAnswerContent, type TestDialect } from './answer-content.ts';
import { sampleReply, toBinaryReply } from './upstream-samples.ts';

const KEY = `eis_${randomBytes(24).toString('hex')}`;
const CLAUDE = 'us.anthropic.claude-haiku-4-5-v1:0';
const BETA = 'context-1m-2025-08-07';
const FEATURES = `a-1, ${BETA},advanced-tool-use-2025-11-20,${BETA}`;
const ARN = 'arn:aws:bedrock:test-1:1:application-inference-profile/x1';
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

let cloud: FakeUpstream;
let tokens: FakeUpstream;
let floe: FloeProcess;
let openai: OpenAI;
let anthropic: Anthropic;
let reply: UpstreamReply = {};
/** Answers that come before `reply`. */
let first: UpstreamReply[] = [];
const folder = mkdtempSync(join(tmpdir(), 'floe-clouds-'));

before(async () => {
  cloud = await startFakeUpstream({ respond: () => first.shift() ?? reply });
  tokens = await startFakeUpstream({
    respond: (_, index) =>
      createJsonReply({ access_token: `token-${index}`, expires_in: 3599, token_type: 'Bearer' }),
  });
  const account = join(folder, 'account.json');
  writeFileSync(
    account,
    JSON.stringify({
      type: 'service_account',
      client_email: 'floe@p-1.test',
      private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
      private_key_id: 'k-1',
      token_uri: `${tokens.url}/token`,
    }),
  );
  const identity = {
    access_key_id: 'AKIDEXAMPLE',
    secret_access_key: 'wJalrXUtnFEMI',
    session_token: 'session-7',
  };
  const provider = {
    base_url: cloud.url,
    models: ['*claude-*', 'gemini-2.5-flash', 'amazon.nova-micro-v1:0'],
  };
  const exact = { ...provider, deployments: { 'claude-profile': ARN } };
  const org = {
    id: 'acme',
    keys: [{ name: 'sdk', key: KEY, scopes: ['gateway'] }],
    providers: [
      { id: 'signed', kind: 'bedrock', region: 'test-1', identity, ...exact },
      { id: 'keyed', kind: 'bedrock', region: 'test-1', api_key: 'bedrock-api-key-7', ...provider },
      {
        id: 'vertex',
        kind: 'vertex',
        project: 'p-1',
        region: 'test-1',
        identity: { file: account },
        ...provider,
      },
      { id: 'seats', kind: 'anthropic', credential_source: 'caller', api_key: 'never-sent', ...provider },
      { id: 'own', kind: 'gemini', credential_source: 'caller', ...provider },
    ],
    routes: [{ model: '*', retries: 0 }],
  };
  floe = await startFloeProcess({ yaml: JSON.stringify({ orgs: [org] }) });
  openai = new OpenAI({ baseURL: `${floe.url}/gateway/v1`, apiKey: KEY, maxRetries: 0 });
  anthropic = new Anthropic({ baseURL: `${floe.url}/gateway`, apiKey: KEY, maxRetries: 0 });
});
after(async () => {
  await floe.stop();
  await cloud.close();
  await tokens.close();
  rmSync(folder, { recursive: true });
});

/** The answer of a scenario as the cloud sends it. */
function play(kind: 'invoke' | 'raw' | 'gemini', scenario: string, isStream: boolean, seed = 3): void {
  const dialect: TestDialect = kind === 'gemini' ? 'gemini' : 'messages';
  const plain = sampleReply(dialect, scenario, isStream);
  const wrapped =
    kind === 'invoke' && isStream
      ? toBinaryReply(convertSseToEventStream(plain.body.toString('utf8'), true))
      : plain;
  reply = { ...wrapped, chunking: { seed, meanBytes: 200 }, framing: 'chunked' };
}

function lastRequest(): ReceivedRequest {
  return cloud.requests.at(-1) ?? assert.fail('nobody asked');
}

function bodyOf(request: ReceivedRequest): JsonObject {
  const body: unknown = JSON.parse(request.body.toString('utf8'));
  assert.ok(isJsonObject(body));
  return body;
}

const messages = [{ role: 'user' as const, content: 'How thick is the ice?' }];

for (const [provider, kind] of [
  ['signed', 'invoke'],
  ['keyed', 'invoke'],
  ['vertex', 'raw'],
] as const)
  describe(`Claude on ${provider}`, () => {
    const model = `${provider}/${CLAUDE}`;

    for (const scenario of ['text', 'parallel-tools', 'no-args-tool', 'refusal', 'thinking', 'length'])
      test(`${scenario}: the Messages client reads the content, with and without streaming`, async () => {
        for (const isStream of [true, false]) {
          play(kind, scenario, isStream);
          const said = parseAnswerContent(
            'messages',
            sampleReply('messages', scenario, isStream).body,
            isStream,
          );
          const ask = { model, max_tokens: 1000, messages };
          const answer = isStream
            ? await anthropic.messages.stream(ask).finalMessage()
            : await anthropic.messages.create(ask);
          const text = answer.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
          const calls = answer.content.filter((block) => block.type === 'tool_use');
          assert.equal(text, said.text);
          assert.deepEqual(
            calls.map(({ id, name, input }) => [id, name, JSON.stringify(input)]),
            said.calls.map(({ id, name, arguments: args }) => [id, name, args || '{}']),
          );
          assert.equal(answer.stop_reason, said.finish);
        }
      });

    test('the Chat client reads it too', async () => {
      for (const isStream of [true, false]) {
        play(kind, 'parallel-tools', isStream);
        const ask = { model, messages, tools: [] };
        const answer = isStream
          ? await openai.chat.completions.stream({ model, messages }).finalChatCompletion()
          : await openai.chat.completions.create(ask);
        const calls = answer.choices[0]?.message.tool_calls?.map(
          (one) => one.type === 'function' && one.function.name,
        );
        assert.deepEqual(calls, ['look_up', 'measure']);
        const body = bodyOf(lastRequest());
        assert.equal(body['model'], undefined);
        assert.match(String(body['anthropic_version']), /^(bedrock|vertex)-\d/);
      }
    });

    test('body values keep their bytes, and dropped fields are reported', async () => {
      play(kind, 'text', false);
      const kept = '[ {"role":"user", "content":"1e2 \\u00e9"} ]';
      const text = `{ "model" : "${model}","max_tokens":1e2, "service_tier":"auto","messages":${kept}}`;
      const answer = await callHttp(`${floe.url}/gateway/v1/messages`, {
        headers: { 'x-api-key': KEY, 'anthropic-beta': FEATURES, 'anthropic-version': '2026-10-21' },
        body: text,
      });
      assert.equal(answer.status, 200, answer.text);
      const sent = lastRequest().body.toString('utf8');
      assert.ok(sent.includes(kept) && sent.includes('"max_tokens":1e2'), sent);
      assert.deepEqual(bodyOf(lastRequest())['anthropic_beta'], [BETA, 'tool-search-tool-2025-10-19']);
      assert.equal(answer.headers['x-floe-dropped'], 'service_tier,anthropic-beta.a-1,anthropic-version');
      for (const name of ['anthropic-version', 'anthropic-beta'])
        assert.equal(lastRequest().headers[name], undefined);
    });

    test('beta features that the model rejects are omitted in a second request', async () => {
      play(kind, 'text', false);
      first = [
        createJsonReply({ message: 'The model returned the following errors: invalid beta flag' }, 400),
      ];
      const answer = await callHttp(`${floe.url}/gateway/v1/messages`, {
        headers: { 'x-api-key': KEY, 'anthropic-beta': BETA },
        body: { model, max_tokens: 9, messages },
      });
      assert.deepEqual(
        [answer.status, answer.headers['x-floe-dropped']],
        [200, 'anthropic-beta'],
        answer.text,
      );
      const sent = cloud.requests.slice(-2).map((request) => bodyOf(request)['anthropic_beta']);
      assert.deepEqual(sent, [[BETA], undefined]);
    });

    test('a stream that breaks, in transport or by an event, is an error and never a normal end', async () => {
      const plain = sampleReply('messages', 'error-inside', true).body.toString('utf8');
      play(kind, 'error-inside', true);
      const failing = [{ ...reply }];
      const whole = sampleReply('messages', 'text', true).body.toString('utf8');
      const bytes = kind === 'invoke' ? convertSseToEventStream(whole, true) : Buffer.from(whole);
      failing.push({ ...reply, body: bytes.subarray(0, bytes.length >> 1) });
      if (kind === 'invoke') {
        const flipped = Buffer.from(bytes);
        const middle = bytes.length >> 1;
        flipped.writeUInt8(flipped.readUInt8(middle) ^ 4, middle);
        failing.push({ ...reply, body: flipped });
      }
      assert.match(plain, /Something broke/);
      for (const one of failing) {
        reply = one;
        await assert.rejects(anthropic.messages.stream({ model, max_tokens: 9, messages }).finalMessage());
      }
      play(kind, 'text', true);
      const answer = await anthropic.messages.stream({ model, max_tokens: 9, messages }).finalMessage();
      assert.equal(answer.stop_reason, 'end_turn');
    });
  });

test('a signed request is sent to the URL of its model, signed with the keys in the file', async () => {
  play('invoke', 'text', true);
  await anthropic.messages.stream({ model: `signed/${CLAUDE}`, max_tokens: 9, messages }).finalMessage();
  const { path, headers } = lastRequest();
  assert.equal(path, '/model/us.anthropic.claude-haiku-4-5-v1%3A0/invoke-with-response-stream');
  assert.match(
    headers['authorization'] ?? '',
    /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/test-1\/bedrock\/aws4_request, SignedHeaders=content-type;host;x-amz-content-sha256;x-amz-date;x-amz-security-token, Signature=[0-9a-f]{64}$/,
  );
  assert.equal(headers['x-amz-security-token'], 'session-7');
  await anthropic.messages.stream({ model: 'signed/claude-profile', max_tokens: 9, messages }).finalMessage();
  assert.equal(lastRequest().path, `/model/${encodeURIComponent(ARN)}/invoke-with-response-stream`);
});

test('an API key is sent as a bearer token without a signature', async () => {
  play('invoke', 'text', true);
  await anthropic.messages.stream({ model: `keyed/${CLAUDE}`, max_tokens: 9, messages }).finalMessage();
  assert.equal(lastRequest().headers['authorization'], 'Bearer bedrock-api-key-7');
  assert.equal(lastRequest().headers['x-amz-date'], undefined);
});

test("an error of the cloud is sent in the client's dialect, and a throttle is a rate limit", async () => {
  reply = { ...createJsonReply({ message: 'Too many tokens, please wait.' }, 429) };
  reply = { ...reply, headers: { ...reply.headers, 'x-amzn-errortype': 'ThrottlingException:http://x' } };
  const answer = await callHttp(`${floe.url}/gateway/v1/messages`, {
    headers: { 'x-api-key': KEY },
    body: { model: `signed/${CLAUDE}`, max_tokens: 9, messages },
  });
  const body: unknown = answer.json();
  assert.ok(isJsonObject(body) && isJsonObject(body.error));
  assert.deepEqual([answer.status, body.type, body.error.type], [429, 'error', 'rate_limit_error']);
  assert.equal(body.error.message, 'Too many tokens, please wait.');
});

test('an image URL is rejected by name if Claude accepts only bytes', async () => {
  const before = cloud.requests.length;
  const image_url = { url: 'https://pictures.test/a.png' };
  const answer = await callHttp(`${floe.url}/gateway/v1/chat/completions`, {
    headers: { 'x-api-key': KEY },
    body: {
      model: `vertex/${CLAUDE}`,
      messages: [{ role: 'user', content: [{ type: 'image_url', image_url }] }],
    },
  });
  assert.equal(answer.status, 400);
  assert.match(answer.text, /"messages\[0\]\.content\[0\]/);
  assert.equal(cloud.requests.length, before);
});

test('tokens of Claude at a cloud provider are estimated, because its endpoint does not count', async () => {
  const before = cloud.requests.length;
  for (const provider of ['signed', 'vertex']) {
    const counted = await anthropic.messages
      .countTokens({ model: `${provider}/${CLAUDE}`, messages })
      .withResponse();
    assert.ok(counted.data.input_tokens > 0);
    assert.equal(counted.response.headers.get('x-floe-usage-source'), 'estimated');
  }
  assert.equal(cloud.requests.length, before);
});

test('Gemini and Claude on Vertex use one token, which a signed assertion obtained', async () => {
  play('gemini', 'text', true);
  const asked = tokens.requests.length;
  const stream = openai.chat.completions.stream({ model: 'vertex/gemini-2.5-flash', messages });
  assert.equal((await stream.finalChatCompletion()).choices[0]?.message.content, 'Grüße, Welt ✓');
  const { path, headers } = lastRequest();
  const place = '/v1/projects/p-1/locations/test-1/publishers';
  assert.equal(path, `${place}/google/models/gemini-2.5-flash:streamGenerateContent?alt=sse`);
  assert.match(headers['authorization'] ?? '', /^Bearer token-\d+$/);
  assert.ok(asked <= 1 && tokens.requests.length <= 1, 'one token serves all');
  play('raw', 'text', true);
  await anthropic.messages
    .stream({ model: 'vertex/claude-x@20260101', max_tokens: 9, messages })
    .finalMessage();
  assert.equal(lastRequest().path, `${place}/anthropic/models/claude-x@20260101:streamRawPredict`);
  assert.equal(bodyOf(lastRequest())['stream'], true);
  const form = new URLSearchParams(tokens.requests[0]?.body.toString('utf8'));
  assert.equal(form.get('grant_type'), 'urn:ietf:params:oauth:grant-type:jwt-bearer');
  const [head = '', claims = '', signature = ''] = (form.get('assertion') ?? '').split('.');
  const isSigned = createVerify('RSA-SHA256')
    .update(`${head}.${claims}`)
    .verify(publicKey, signature, 'base64url');
  assert.ok(isSigned);
  const said: unknown = JSON.parse(Buffer.from(claims, 'base64url').toString('utf8'));
  assert.ok(isJsonObject(said));
  assert.deepEqual([said.iss, said.aud], ['floe@p-1.test', `${tokens.url}/token`]);
  assert.equal(Number(said.exp) - Number(said.iat), 3600);
});

test('a rejected token is renewed once without an error for the client', async () => {
  const before = tokens.requests.length;
  const from = cloud.requests.length;
  play('gemini', 'text', false);
  first = [createJsonReply({ error: { code: 401, message: 'expired', status: 'UNAUTHENTICATED' } }, 401)];
  const answer = await openai.chat.completions.create({ model: 'vertex/gemini-2.5-flash', messages });
  assert.equal(answer.choices[0]?.message.content, 'Grüße, Welt ✓');
  assert.equal(tokens.requests.length, before + 1);
  const used = cloud.requests.slice(from).map(({ headers }) => headers['authorization']);
  assert.equal(new Set(used).size, 2);
});

test("a second rejection is a credential error, and not the caller's", async () => {
  play('gemini', 'text', false);
  const refusal = createJsonReply({ error: { code: 401, message: 'no', status: 'UNAUTHENTICATED' } }, 401);
  first = [refusal, refusal];
  const answer = await callHttp(`${floe.url}/gateway/v1/chat/completions`, {
    headers: { 'x-api-key': KEY },
    body: { model: 'vertex/gemini-2.5-flash', messages },
  });
  assert.equal(answer.status, 502);
  assert.match(answer.text, /upstream_auth_failed/);
});

test("with `credential_source: caller`, the caller's credential is forwarded in the format that the provider accepts", async () => {
  play('raw', 'text', false);
  const body = { model: 'seats/claude-x', max_tokens: 9, messages };
  const ask = (headers: Record<string, string>, model = body.model) =>
    callHttp(`${floe.url}/gateway/v1/messages`, { headers, body: { ...body, model } });
  assert.equal((await ask({ authorization: 'Bearer seat-token', 'x-api-key': KEY })).status, 200);
  assert.equal(lastRequest().headers['authorization'], 'Bearer seat-token');
  assert.equal(lastRequest().headers['x-api-key'], undefined);
  assert.equal((await ask({ 'x-api-key': 'their-own', 'x-floe-key': KEY })).status, 200);
  assert.equal(lastRequest().headers['x-api-key'], 'their-own');
  play('gemini', 'text', false);
  assert.equal(
    (await ask({ authorization: 'Bearer g-key', 'x-floe-key': KEY }, 'own/gemini-2.5-flash')).status,
    200,
  );
  assert.equal(lastRequest().headers['x-goog-api-key'], 'g-key');
  const seen = JSON.stringify(cloud.requests.map(({ headers }) => headers));
  assert.ok(!seen.includes(KEY) && !seen.includes('never-sent'));
});

test("without the caller's credential, no provider is called, and the message states where to send one", async () => {
  const before = cloud.requests.length;
  const answer = await callHttp(`${floe.url}/gateway/v1/messages`, {
    headers: { authorization: `Bearer ${KEY}`, 'x-api-key': `sk-${KEY}` },
    body: { model: 'seats/claude-x', max_tokens: 9, messages },
  });
  assert.equal(answer.status, 401);
  assert.match(answer.text, /x-floe-key/);
  assert.equal(cloud.requests.length, before);
});

test('if the credential is configured in Floe, other credentials of the caller are dropped', async () => {
  play('gemini', 'text', false);
  await callHttp(`${floe.url}/gateway/v1/chat/completions`, {
    headers: { authorization: 'Bearer their-own', 'x-floe-key': KEY },
    body: { model: 'vertex/gemini-2.5-flash', messages },
  });
  assert.ok(!JSON.stringify(lastRequest().headers).includes('their-own'));
});
