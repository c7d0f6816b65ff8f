// The native surfaces: bytes, headers and addresses both ways, and what must not get through.
// Tier: ci. Every operation that passes unread.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Chunking } from '@floe/testkit/chunking';
import { encodeRawRequest, RawClient } from '@floe/testkit/raw-client';
import { loadProjectRecordings } from '@floe/testkit/recordings';
import { loadSharedRecordings } from '@floe/testkit/shared-recordings';
import { createJsonReply } from '@floe/testkit/upstream-reply';
import {
  PASSTHROUGH_A_PATH,
  PASSTHROUGH_B_PATH,
  PASSTHROUGH_KEYS,
  type PassthroughGateway,
  type PassthroughUpstream,
  startPassthroughGateway,
} from './passthrough-gateway.ts';

let harness: PassthroughGateway;
before(async () => {
  harness = await startPassthroughGateway();
});
after(() => harness.close());

const CHUNKINGS: readonly Chunking[] = ['whole', { seed: 5 }, { seed: 6, meanBytes: 200 }];
const SURFACES: Readonly<Record<string, { readonly fake: PassthroughUpstream; readonly path: string }>> = {
  chat: { fake: 'a-one', path: `${PASSTHROUGH_A_PATH}/chat/completions` },
  responses: { fake: 'a-one', path: `${PASSTHROUGH_A_PATH}/responses` },
  messages: { fake: 'b-one', path: `${PASSTHROUGH_B_PATH}/v1/messages` },
};

function recorded() {
  const shared = loadSharedRecordings(({ surface }) => surface in SURFACES);
  const all = [...loadProjectRecordings(({ surface }) => surface in SURFACES), ...shared.recordings];
  return all.flatMap(({ file, surface, interactions }) =>
    interactions
      .filter(({ method, status }) => method === 'POST' && status === 200)
      .map((interaction) => ({ file, surface, interaction })),
  );
}

const found = recorded();

test('recorded responses reach the client byte for byte in any chunking', async () => {
  assert.ok(found.length > 150, `${found.length} answers`);
  let passed = 0;
  for (const [at, { file, surface, interaction }] of found.entries()) {
    const place = SURFACES[surface] ?? assert.fail(surface);
    const chunking = CHUNKINGS[at % CHUNKINGS.length] ?? 'whole';
    harness.setReply(place.fake, { interaction, chunking, framing: 'chunked' });
    const body = { model: 'm-1', stream: interaction.stream, store: false };
    // This key has one target, so a stream that begins with its error has nobody else to answer it.
    const answer = await harness.call(place.path, { body, key: 'narrow' });
    assert.equal(answer.status, 200, file);
    // A recording that stops without its last event is a broken answer here as well.
    if (answer.isComplete) assert.deepEqual(answer.bytes, interaction.body, file);
    else assert.deepEqual(answer.bytes, interaction.body.subarray(0, answer.bytes.length), file);
    passed += answer.isComplete ? 1 : 0;
  }
  assert.ok(passed > found.length * 0.8, `${passed} of ${found.length} were whole`);
});

test("a request is forwarded byte for byte, with its query and headers, and without Floe's own headers", async () => {
  harness.setReply('a-one', createJsonReply({ ok: true }));
  const body = '{ "model":"m-1" ,"x":{"\\u0061":1.50},\n"messages":[ ] }';
  const answer = await harness.call(`${PASSTHROUGH_A_PATH}/chat/completions?a=1&b=%20x&a=2`, {
    body,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'user-agent': 'my-agent/1',
      'openai-organization': 'org-1',
      'x-stainless-lang': 'js',
      'x-floe-metadata': '{"a":"b"}',
      'x-custom-copy': `my key is ${PASSTHROUGH_KEYS.ours}`,
      'x-forwarded-for': '192.0.2.1',
      'x-http-method-override': 'DELETE',
      'x-method-override': 'DELETE',
      'x-http-method': 'DELETE',
      connection: 'close, x-hop',
      'x-hop': '1',
      cookie: 'a=b',
      'accept-encoding': 'gzip',
    },
  });
  assert.equal(answer.status, 200, answer.text);
  const { path, headers, body: received, method } = harness.lastRequest('a-one');
  assert.equal(method, 'POST');
  assert.equal(path, '/v1/chat/completions?a=1&b=%20x&a=2');
  assert.equal(received.toString(), body);
  assert.equal(headers['authorization'], 'Bearer secret-of-a-one');
  assert.equal(headers['user-agent'], 'my-agent/1');
  assert.equal(headers['content-type'], 'application/json; charset=utf-8');
  assert.equal(headers['openai-organization'], 'org-1');
  assert.equal(headers['x-stainless-lang'], 'js');
  assert.equal(headers['accept-encoding'], 'identity');
  for (const gone of [
    'x-floe-metadata',
    'x-custom-copy',
    'x-forwarded-for',
    'x-http-method-override',
    'x-method-override',
    'x-http-method',
    'x-hop',
    'cookie',
  ])
    assert.equal(headers[gone], undefined, gone);
  assert.ok(!JSON.stringify(headers).includes('eis_'));
});

test('every method and path below a base path is forwarded, for an object of the caller', async () => {
  for (const [fake, path, id] of [
    ['a-one', `${PASSTHROUGH_A_PATH}/things`, 'one two'],
    ['b-one', `${PASSTHROUGH_B_PATH}/v1/skies`, 'blue'],
  ] as const) {
    harness.setReply(fake, ({ method, path }) => createJsonReply({ method, path, id }));
    assert.equal((await harness.call(path, { method: 'POST', body: {} })).status, 200);
    harness.setReply(fake, ({ method, path }) => createJsonReply({ method, path }));
  }
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
    for (const [base, below] of [
      [PASSTHROUGH_A_PATH, '/things/one%20two?x=%2F'],
      [`${PASSTHROUGH_B_PATH}/v1`, '/skies/blue'],
    ] as const) {
      const answer = await harness.call(base + below, { method });
      assert.deepEqual(answer.json(), { method, path: `/v1${below}` });
    }
  for (const method of ['PUT', 'PATCH', 'DELETE'])
    assert.equal((await harness.call(`${PASSTHROUGH_A_PATH}/things`, { method })).status, 404);
  const head = await harness.call(`${PASSTHROUGH_A_PATH}/things`, { method: 'HEAD' });
  assert.equal(head.status, 200);
  assert.equal(head.text, '');
});

test('a response keeps its headers except those of the connection and of the other host', async () => {
  harness.setReply('b-one', {
    ...createJsonReply({
      id: 'msg_1',
      usage: { input_tokens: 3, cache_read_input_tokens: 4, output_tokens: 5 },
    }),
    headers: {
      'content-type': 'application/json',
      'request-id': 'req_upstream',
      'x-request-id': 'upstream-own',
      'anthropic-organization-id': 'org-9',
      'anthropic-ratelimit-requests-remaining': '49',
      'set-cookie': 'cf=1',
      'alt-svc': 'h3=":443"',
      'x-floe-provider': 'liar',
    },
  });
  const answer = await harness.call(`${PASSTHROUGH_B_PATH}/v1/messages`, {
    body: { model: 'm-1', max_tokens: 5, messages: [], metadata: { user_id: 'u-7' } },
    headers: { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'one,two', 'anthropic-odd': 'x' },
  });
  assert.equal(answer.headers['request-id'], 'req_upstream');
  assert.equal(answer.headers['x-floe-upstream-request-id'], 'upstream-own');
  assert.match(answer.headers['x-request-id'] ?? '', /^exc_/);
  assert.equal(answer.headers['anthropic-organization-id'], 'org-9');
  assert.equal(answer.headers['anthropic-ratelimit-requests-remaining'], '49');
  assert.equal(answer.headers['x-floe-provider'], 'b-one');
  assert.equal(answer.headers['set-cookie'], undefined);
  assert.equal(answer.headers['alt-svc'], undefined);
  const sent = harness.lastRequest('b-one');
  assert.equal(sent.headers['x-api-key'], 'secret-of-b-one');
  assert.equal(sent.headers['authorization'], undefined);
  assert.equal(sent.headers['anthropic-beta'], 'one,two');
  assert.equal(sent.headers['anthropic-odd'], 'x');
  const row = await harness.row(answer);
  assert.equal(row['route_mode'], 'passthrough-b');
  assert.equal(row['surface'], 'messages');
  assert.equal(row['end_user'], 'u-7');
  const usage = row['usage'];
  assert.deepEqual(
    JSON.parse(JSON.stringify(usage, ['input_tokens', 'cached_tokens', 'output_tokens', 'source'])),
    { input_tokens: 7, cached_tokens: 4, output_tokens: 5, source: 'provider' },
  );
});

describe('ambiguous paths are rejected', () => {
  for (const path of [
    '/files/../models',
    '/%2e%2e/admin',
    '/files/%2E%2E%2fmodels',
    '/files/a%2fb',
    '/files/a%5cb',
    '/files\\..\\x',
    '/files/%252e%252e/x',
    '/files/%zz',
    '/files/%00',
    '/./files',
    '/files;x=1',
  ])
    test(path, async () => {
      const before = harness.requestCount('a-one');
      const client = await RawClient.connect(harness.url);
      await client.send(
        encodeRawRequest({
          path: PASSTHROUGH_A_PATH + path,
          headers: [['x-api-key', PASSTHROUGH_KEYS.ours]],
          method: 'GET',
        }),
      );
      const { status, body } = await client.readAnswer();
      client.hangUp();
      assert.equal(status, 400, body.toString());
      assert.match(body.toString(), /cannot be forwarded/);
      assert.equal(harness.requestCount('a-one'), before);
    });

  test('a platform key in the URL is rejected', async () => {
    for (const key of [PASSTHROUGH_KEYS.ours, PASSTHROUGH_KEYS.ours.replace('_', '%5F')]) {
      const answer = await harness.call(`${PASSTHROUGH_A_PATH}/things?key=${key}`);
      assert.equal(answer.status, 400);
      assert.match(answer.text, /contains a platform key/);
      assert.ok(!answer.text.includes(key));
    }
  });
});

test("Floe's errors have the dialect of the base path", async () => {
  const b = await harness.call(`${PASSTHROUGH_B_PATH}/v1/messages`, {
    body: { model: 'nowhere', messages: [] },
  });
  assert.equal(b.status, 404);
  assert.match(b.text, /"type":"error","error":\{"type":"not_found_error"/);
  const a = await harness.call(`${PASSTHROUGH_A_PATH}/responses`, { body: { model: 'nowhere', input: 'x' } });
  assert.equal(a.status, 404);
  assert.match(a.text, /"code":"model_not_found"/);
  const outside = await harness.call(`${PASSTHROUGH_B_PATH}/elsewhere`);
  assert.equal(outside.status, 404);
  assert.match(outside.text, /"type":"error"/);
  const unknown = await harness.call(`${PASSTHROUGH_A_PATH}/models`, {
    headers: { authorization: 'Bearer eis_x' },
  });
  assert.equal(unknown.status, 401);
});

test('the model lists contain what the key may use, in the format of the API', async () => {
  const all = await harness.openai().models.list();
  assert.deepEqual(
    all.data.map(({ id }) => id),
    ['m-1', 'm-2'],
  );
  const few = await harness.openai('narrow').models.list();
  assert.deepEqual(
    few.data.map(({ id }) => id),
    ['m-1'],
  );
  const claude = await harness.anthropic().models.retrieve('m-2');
  assert.equal(claude.type, 'model');
  const listed: string[] = [];
  for await (const model of harness.anthropic('narrow').models.list()) listed.push(model.id);
  assert.deepEqual(listed, ['m-1']);
});
