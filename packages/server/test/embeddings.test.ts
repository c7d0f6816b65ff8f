// Vectors through the official client, whose default asks for base64, from providers of every kind.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { type FakeUpstream, startFakeUpstream } from '@floe/testkit/fake-upstream';
import { type FloeProcess, startFloeProcess } from '@floe/testkit/floe-process';
import { callHttp } from '@floe/testkit/http-client';
import type { ReceivedRequest } from '@floe/testkit/upstream-connection';
import { createJsonReply, type UpstreamReply } from '@floe/testkit/upstream-reply';
import OpenAI from 'openai';
import { waitForRows } from './wait-for-rows.ts';

const KEY = `eis_${'e'.repeat(40)}`;
const VECTORS = [
  [0.25, -0.5, 1],
  [0.125, 2, -4],
];
const KINDS = ['openai', 'mistral', 'ollama', 'gemini', 'together', 'cohere', 'openai-compatible'] as const;
type Kind = (typeof KINDS)[number];

let upstream: FakeUpstream;
let floe: FloeProcess;
let client: OpenAI;
/** How many vectors of each answer are left out. */
let missing = 0;
/** Hosts that pay no heed to `encoding_format`. */
let deaf = false;

before(async () => {
  upstream = await startFakeUpstream({ respond: vectorsFor });
  const providers = [...KINDS, 'groq'].map((kind) => ({
    id: kind,
    kind,
    base_url: `${upstream.url}/${kind}`,
    api_key: 'secret',
    models: ['*'],
  }));
  const keys = [{ name: 'one', key: KEY, scopes: ['gateway', 'read'] }];
  floe = await startFloeProcess({ yaml: JSON.stringify({ orgs: [{ id: 'acme', keys, providers }] }) });
  client = new OpenAI({ baseURL: `${floe.url}/gateway/v1`, apiKey: KEY, maxRetries: 0 });
});
after(async () => {
  await floe.stop();
  await upstream.close();
});

function asked({ body }: ReceivedRequest): JsonObject {
  const parsed: unknown = JSON.parse(body.toString());
  assert.ok(isJsonObject(parsed));
  return parsed;
}

function vectorsFor(request: ReceivedRequest): UpstreamReply {
  if (request.method === 'GET') return createJsonReply({ object: 'list', data: [] });
  const body = asked(request);
  if (request.path.includes('batchEmbedContents')) {
    const count = Array.isArray(body['requests']) ? body['requests'].length : 0;
    return createJsonReply({ embeddings: VECTORS.slice(0, count).map((values) => ({ values })) });
  }
  if (request.path.endsWith('/v2/embed')) {
    const count = Array.isArray(body['texts']) ? body['texts'].length : 0;
    const meta = { billed_units: { input_tokens: 7 } };
    return createJsonReply({ embeddings: { float: VECTORS.slice(0, count) }, texts: body['texts'], meta });
  }
  const { input } = body;
  const isMany = Array.isArray(input) && typeof input[0] !== 'number';
  const vectors = VECTORS.slice(0, (isMany ? input.length : 1) - missing);
  const encode = (vector: readonly number[]) =>
    body['encoding_format'] === 'base64' && !deaf
      ? Buffer.from(new Float32Array(vector).buffer).toString('base64')
      : vector;
  const data = vectors.map((vector, index) => ({ object: 'embedding', index, embedding: encode(vector) }));
  return createJsonReply({
    object: 'list',
    data,
    model: body['model'],
    usage: { prompt_tokens: 7, total_tokens: 7 },
  });
}

const last = () => upstream.requests.findLast(({ method }) => method === 'POST') ?? assert.fail();

for (const kind of KINDS)
  test(`${kind}: base64 without a request for it, floats, one text and several`, async () => {
    for (const isDeaf of [false, true])
      for (const encoding of [undefined, 'float', 'base64'] as const)
        for (const input of ['one', ['one', 'two']]) {
          deaf = isDeaf;
          const answer = await client.embeddings.create({
            model: `${kind}/text-e`,
            input,
            ...(encoding && { encoding_format: encoding }),
          });
          const wanted = VECTORS.slice(0, typeof input === 'string' ? 1 : 2);
          const got = answer.data.map(({ embedding }) => unpacked(embedding));
          assert.deepEqual(got, wanted, `${encoding} ${isDeaf}`);
        }
    deaf = false;
  });

function unpacked(embedding: unknown): number[] {
  if (Array.isArray(embedding)) return embedding.map(Number);
  assert.ok(typeof embedding === 'string');
  const bytes = Buffer.from(embedding, 'base64');
  return Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(at * 4));
}

test("an OpenAI-compatible provider receives the client's bytes except the model, and they are counted", async () => {
  const body = '{"input":[[1,2],[3]],  "model":"openai/text-e","dimensions":3,"user":"u","odd":1.50}';
  const answer = await callHttp(`${floe.url}/gateway/v1/embeddings?a=1`, {
    body,
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
  });
  assert.equal(answer.status, 200, answer.text);
  assert.equal(last().body.toString(), body.replace('openai/text-e', 'text-e'));
  assert.equal(last().path, '/openai/embeddings?a=1');
  const id = answer.headers['x-request-id'] ?? '';
  const row = (await waitForRows(floe.url, KEY, [id])).get(id);
  const usage = row?.['usage'];
  assert.deepEqual(
    [row?.['surface'], row?.['state'], isJsonObject(usage) && usage['input_tokens'], row?.['end_user']],
    ['embeddings', 'complete', 7, 'u'],
  );
});

test('fields with another name are renamed, and fields without an equivalent are rejected or reported', async () => {
  const create = (kind: Kind, more: object) =>
    client.embeddings.create({ model: `${kind}/text-e`, input: 'x', ...more }).withResponse();
  await create('mistral', { dimensions: 3 });
  assert.deepEqual(asked(last()), { input: 'x', model: 'text-e', output_dimension: 3 });
  const { response } = await create('ollama', { user: 'u' });
  assert.equal(response.headers.get('x-floe-dropped'), 'user');
  const { data: counted } = await create('gemini', { dimensions: 2 });
  assert.ok(counted.usage.prompt_tokens > 0, 'what its provider does not count is estimated');
  assert.equal(last().path, '/gemini/models/text-e:batchEmbedContents');
  assert.deepEqual(asked(last())['requests'], [
    { model: 'models/text-e', content: { parts: [{ text: 'x' }] }, outputDimensionality: 2 },
  ]);
  await assert.rejects(create('together', { dimensions: 3 }), { status: 400, param: 'dimensions' });
  await assert.rejects(create('gemini', { input: [1, 2, 3] }), { status: 400, param: 'input' });
  await assert.rejects(create('gemini', { input: [] }), { status: 400, param: 'input' });
  await assert.rejects(client.embeddings.create({ model: 'groq/x', input: 'x' }), {
    status: 400,
    param: 'model',
  });
});

test('a response with fewer vectors than inputs is an error of the provider, for every kind that uses the format', async () => {
  missing = 1;
  try {
    for (const kind of ['openai', 'mistral', 'openai-compatible'] as const)
      for (const input of ['one', ['one', 'two'], [1, 2], [[1], [2]]]) {
        const sent = upstream.requests.length;
        const answer = await callHttp(`${floe.url}/gateway/v1/embeddings`, {
          method: 'POST',
          headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
          body: JSON.stringify({ model: `${kind}/m`, input }),
        });
        const isSupported = kind !== 'mistral' || [input].flat().every((entry) => typeof entry === 'string');
        const what = `${kind} ${JSON.stringify(input)}: ${answer.text}`;
        assert.equal(upstream.requests.length > sent, isSupported, what);
        assert.equal(answer.status, isSupported ? 502 : 400, what);
        assert.match(answer.text, isSupported ? /vectors? for \d inputs?, so Floe/ : /"param":"input"/);
      }
  } finally {
    missing = 0;
  }
});
