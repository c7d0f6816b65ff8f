// Paths below /gateway/v1 that pass without being understood, driven by the official client.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isJsonObject } from '@floe/contract/json';
import { createJsonReply } from '@floe/testkit/upstream-reply';
import { toFile } from 'openai';
import { PASSTHROUGH_KEYS, type PassthroughGateway, startPassthroughGateway } from './passthrough-gateway.ts';

const V1 = '/gateway/v1';

let harness: PassthroughGateway;
before(async () => {
  harness = await startPassthroughGateway();
});
after(() => harness.close());

const client = () => harness.openai('ours', V1);
const sentBody = (): unknown => JSON.parse(harness.lastRequest('a-one').body.toString());

test('images: the provider of the model receives the bytes with its own model name', async () => {
  const image = {
    created: 1,
    data: [{ b64_json: 'aGk=' }],
    usage: { input_tokens: 9, output_tokens: 20, total_tokens: 29 },
  };
  harness.setReply('a-one', createJsonReply(image));
  const answer = await harness.call(`${V1}/images/generations`, {
    body: '{"prompt": "a cat","model" : "a-one/m-1", "n":1.0}',
    headers: { 'content-type': 'application/json' },
  });
  assert.deepEqual(answer.json(), image);
  assert.equal(harness.lastRequest('a-one').path, '/v1/images/generations');
  assert.equal(harness.lastRequest('a-one').body.toString(), '{"prompt": "a cat","model" : "m-1", "n":1.0}');
  const row = await harness.row(answer);
  const { usage } = row;
  assert.deepEqual(
    [
      row['surface'],
      row['route_mode'],
      row['model_requested'],
      row['model'],
      isJsonObject(usage) && usage['output_tokens'],
    ],
    ['images', 'unified', 'a-one/m-1', 'm-1', 20],
  );
  const made = await client().images.generate({ model: 'a-one/m-1', prompt: 'a cat' });
  assert.equal(made.data?.[0]?.b64_json, 'aGk=');
});

test('audio uploads: a form keeps every byte except the model, small or large, at any position of the model', async () => {
  harness.setReply(
    'a-one',
    createJsonReply({
      text: 'hello',
      usage: { type: 'tokens', input_tokens: 14, output_tokens: 3, total_tokens: 17 },
    }),
  );
  for (const size of [10, 3 * 1024 * 1024]) {
    const sound = Buffer.alloc(size, 'abc\r\n--almost');
    const file = await toFile(sound, 'a.wav');
    for (const params of [
      { file, model: 'a-one/m-1', language: 'en' },
      { model: 'a-one/m-1', file },
    ]) {
      const said = await client().audio.transcriptions.create(params);
      assert.equal(said.text, 'hello');
      const { headers, body } = harness.lastRequest('a-one');
      assert.equal(Number(headers['content-length']), body.length);
      const boundary = /boundary=(.+)$/.exec(headers['content-type'] ?? '')?.[1] ?? assert.fail();
      assert.ok(
        body.toString('latin1').endsWith(`--${boundary}--\r\n`) ||
          body.toString('latin1').endsWith(`--${boundary}--`),
      );
      assert.ok(body.includes(sound));
      assert.match(body.toString('latin1'), /name="model"\r\n\r\nm-1\r\n/);
      assert.ok(!body.includes('a-one/'));
    }
  }
});

test('audio downloads: bytes are forwarded unchanged', async () => {
  const sound = Buffer.from([0, 255, 1, 254, 13, 10]);
  harness.setReply('a-one', { headers: { 'content-type': 'audio/mpeg' }, body: sound });
  const speech = await client().audio.speech.create({ model: 'a-one/m-1', voice: 'alloy', input: 'Hi' });
  assert.equal(speech.headers.get('content-type'), 'audio/mpeg');
  assert.deepEqual(Buffer.from(await speech.arrayBuffer()), sound);
});

test('a form whose model is missing, duplicated, not allowed or truncated is rejected', async () => {
  const part = (name: string, value: string) =>
    `--b0\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const end = '--b0--\r\n';
  const before = harness.requestCount('a-one');
  for (const [body, status] of [
    [part('model', 'a-one/m-1') + part('model', 'a-one/m-2') + end, 400],
    [part('model', 'a-one/nowhere') + end, 404],
    [part('file', 'x') + end, 400],
    [part('model', 'a-one/m-1'), 400],
    ['nonsense', 400],
  ] as const) {
    const answer = await harness.call(`${V1}/audio/transcriptions`, {
      body,
      headers: { 'content-type': 'multipart/form-data; boundary=b0' },
    });
    assert.equal(answer.status, status, body);
  }
  assert.equal(harness.requestCount('a-one'), before);
});

test('moderations and rerank are forwarded to providers that offer them', async () => {
  harness.setReply('a-one', createJsonReply({ id: 'modr-1', model: 'm-1', results: [{ flagged: false }] }));
  const judged = await client().moderations.create({ model: 'a-one/m-1', input: 'x' });
  assert.equal(judged.results[0]?.flagged, false);
  const rerank = await harness.call(`${V1}/rerank`, {
    body: { model: 'a-one/m-1', query: 'q', documents: ['d'] },
  });
  assert.equal(rerank.status, 400);
  assert.match(rerank.text, /supports the surface \\"rerank\\"/);
});

test('files and batches: a header chooses the provider, and created objects determine it afterwards', async () => {
  harness.setReply('a-one', ({ method, path }) =>
    createJsonReply(method === 'POST' ? { id: path.includes('batch') ? 'batch_7' : 'file-7' } : { id: path }),
  );
  const file = await toFile(Buffer.from('{}'), 'x.jsonl');
  const lost = await harness.call(`${V1}/files`, { method: 'GET' });
  assert.equal(lost.status, 400);
  assert.match(lost.text, /x-floe-provider/);
  const made = await client().files.create(
    { file, purpose: 'batch' },
    { headers: { 'x-floe-provider': 'a-one' } },
  );
  assert.equal(made.id, 'file-7');
  assert.equal(harness.lastRequest('a-one').headers['x-floe-provider'], undefined);
  const batch = await client().batches.create({
    input_file_id: 'file-7',
    endpoint: '/v1/responses',
    completion_window: '24h',
  });
  assert.equal(batch.id, 'batch_7');
  assert.deepEqual(sentBody(), {
    input_file_id: 'file-7',
    endpoint: '/v1/responses',
    completion_window: '24h',
  });
  await client().batches.retrieve('batch_7');
  assert.equal(harness.lastRequest('a-one').path, '/v1/batches/batch_7');
  assert.equal((await harness.call(`${V1}/batches/batch_7`, { key: 'colleague' })).status, 404);
  const unknown = await harness.call(`${V1}/files`, {
    headers: { authorization: `Bearer ${PASSTHROUGH_KEYS.ours}`, 'x-floe-provider': 'nobody' },
  });
  assert.equal(unknown.status, 404);
  const other = await harness.call(`${V1}/files`, { headers: { 'x-floe-provider': 'b-one' } });
  assert.equal(other.status, 404);
  assert.match(other.text, /does not support the surface \\"files\\"/);
});
