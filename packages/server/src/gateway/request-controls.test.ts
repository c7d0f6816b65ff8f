import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@floe/contract/faults';
import { parseRequestControls } from './request-controls.ts';

const metadataOf = (text: string) => parseRequestControls({ 'x-floe-metadata': text }).metadata;
const nested = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;

test('metadata must be an object with at most 32 nested levels', () => {
  assert.deepEqual(metadataOf('{"a":{"b":[1]}}'), { a: { b: [1] } });
  assert.ok(metadataOf(nested(32)));
  for (const text of ['[]', '"x"', '{', nested(33), nested(1_000)])
    assert.throws(
      () => metadataOf(text),
      (error) => error instanceof Fault && error.code === 'invalid_request',
      text.slice(0, 40),
    );
});

test('characters that a database cannot read from JSON are replaced in metadata', () => {
  const sent = '{"a\\u0000":"\\ud83d\\ude00 \\ud83d \\u0000 \\u00e9 \\\\u0000","b":1}';
  assert.deepEqual(metadataOf(sent), { 'a\ufffd': '😀 \ufffd \ufffd é \\u0000', b: 1 });
});
