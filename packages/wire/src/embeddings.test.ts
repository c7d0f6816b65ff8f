import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isJsonObject } from '@floe/contract/json';
import { loadProjectRecordings } from '@floe/testkit/recordings';
import { loadSharedRecordings } from '@floe/testkit/shared-recordings';
import {
  type EmbeddingsFormat,
  readEmbeddingsRequest,
  readEmbeddingsResponse,
  writeEmbeddingsRequest,
  writeEmbeddingsResponse,
} from './embeddings.ts';

const ask = readEmbeddingsRequest({ input: ['one', 'two'], dimensions: 2, user: 'u' });

test('hosts with a dialect of their own are asked in it', () => {
  assert.deepEqual(writeEmbeddingsRequest(ask, { dialect: 'embed' }, 'm', {}).body, {
    model: 'm',
    texts: ['one', 'two'],
    input_type: 'search_document',
    embedding_types: ['float'],
    output_dimension: 2,
  });
  const many = readEmbeddingsRequest({ input: Array.from({ length: 97 }, () => 'x') });
  assert.throws(() => writeEmbeddingsRequest(many, { dialect: 'embed' }, 'm', {}), {
    code: 'unsupported_parameter',
  });
});

test('a field that the format of the host cannot express is reported', () => {
  const body = {
    model: 'm',
    input: 'one',
    user: 'u',
    input_type: 'search_query',
    truncate: 'END',
    encoding: null,
  };
  const droppedBy = (dialect: EmbeddingsFormat): unknown =>
    writeEmbeddingsRequest(readEmbeddingsRequest(body), { dialect }, 'm', body).dropped;
  assert.deepEqual(droppedBy('gemini'), ['user', 'input_type', 'truncate']);
  assert.deepEqual(droppedBy('embed'), ['user', 'truncate']);
  assert.deepEqual(droppedBy('openai'), []);
});

test('vectors keep the order of the input, not that of the answer', () => {
  const data = [
    { index: 1, embedding: [2] },
    { index: 0, embedding: [1] },
  ];
  assert.deepEqual(readEmbeddingsResponse('openai', { data }, 2).vectors, [[1], [2]]);
});

test('an answer with too few vectors, or none, is no answer', () => {
  for (const answer of [
    {},
    null,
    { data: [{ embedding: [1] }] },
    { data: [{}, {}] },
    { error: { message: 'x' } },
  ])
    assert.throws(() => readEmbeddingsResponse('openai', answer, 2), { code: 'upstream_error' });
});

test('the token count of a Gemini response is read', () => {
  const answer = {
    embeddings: [{ values: [1] }],
    usageMetadata: { promptTokenCount: 7, totalTokenCount: 7 },
  };
  assert.equal(readEmbeddingsResponse('gemini', answer, 1).usage?.units.input, 7);
});

test('single precision survives base64 both ways', () => {
  const vectors = [[0.1, -3.5e38, Number.MIN_VALUE, 7].map(Math.fround)];
  const packed = writeEmbeddingsResponse({ vectors, usage: { units: { input: 3 } } }, 'base64', 'm');
  const again = readEmbeddingsResponse('openai', packed, 1);
  const floats = writeEmbeddingsResponse(again, 'float', 'm');
  assert.deepEqual(floats['data'], [{ object: 'embedding', index: 0, embedding: vectors[0] }]);
  assert.equal(again.usage?.units.input, 3);
});

const PATHS: readonly (readonly [RegExp, EmbeddingsFormat])[] = [
  [/:batchEmbedContents/, 'gemini'],
  [/\/v2\/embed$/, 'embed'],
  [/\/embeddings$/, 'openai'],
];
const recordings = [...loadProjectRecordings(), ...loadSharedRecordings().recordings];

test('recorded answers of every dialect are read', () => {
  const read = new Set<string>();
  for (const { file, interactions } of recordings)
    for (const { path, status, body } of interactions) {
      const [, dialect] = PATHS.find(([pattern]) => pattern.test(path)) ?? [];
      if (!dialect || status !== 200) continue;
      const answer: unknown = JSON.parse(body.toString('utf8'));
      assert.ok(isJsonObject(answer), file);
      const { vectors } = readEmbeddingsResponse(dialect, answer, 1);
      assert.ok((vectors[0]?.length ?? 0) > 2, file);
      read.add(dialect);
    }
  assert.deepEqual([...read].sort(), ['embed', 'gemini', 'openai']);
});
