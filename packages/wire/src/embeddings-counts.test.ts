import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { test } from 'node:test';
import { countEmbeddingsInputs, countEmbeddingsVectors } from './embeddings-counts.ts';

const whole = (text: string) => ({ start: 0, end: Buffer.byteLength(text) });

test('a string and a list of token ids are one input, and other lists have one input per element', () => {
  for (const [text, count] of [
    ['"one"', 1],
    ['{"text":"one"}', 1],
    ['[ 1, 2, 3 ]', 1],
    ['["one"]', 1],
    ['[ "one", "two" ]', 2],
    ['[[1,2],[3],[4]]', 3],
    ['[{"text":"one"},{"image":[1]}]', 2],
    ['[]', 0],
  ] as const)
    assert.equal(countEmbeddingsInputs(Buffer.from(text), whole(text)), count, text);
});

test('a vector is an object in the list, whatever its key', () => {
  for (const [text, count] of [
    ['[]', 0],
    ['null', 0],
    ['{"embedding":[1]}', 0],
    ['[{"embedding":[1,2]}, null, { "embedding": "AAAA" }]', 2],
    ['[{"object":"embedding","embedding" : [1]}]', 1],
    ['[{"object":"embeddings","embeddings":[[1],[2]]}]', 1],
    ['[{"text":"embedding"},{"text":"\\"embedding\\":"}]', 2],
  ] as const)
    for (const expected of [0, 1, 2, 3])
      assert.equal(countEmbeddingsVectors(Buffer.from(text), whole(text), expected), count, text);
});
