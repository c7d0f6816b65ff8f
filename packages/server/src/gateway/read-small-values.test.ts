import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { test } from 'node:test';
import { readSmallValues } from './read-small-values.ts';

const read = (text: string) => readSmallValues(Buffer.from(text));
/** A value that is too large to be parsed. */
const LARGE = `{"values":[${'{},'.repeat(30_000)}0]}`;

test('reads the small members, and the small elements of large arrays', () => {
  const text = `{"id":"r_1","output":[{"type":"web_search_call"},${LARGE},{"type":"message"}],"extra":${LARGE},"\\u0075sage":{"input_tokens":3}}`;
  assert.deepEqual(read(text), {
    id: 'r_1',
    output: [{ type: 'web_search_call' }, { type: 'message' }],
    usage: { input_tokens: 3 },
  });
});

test('the size of all parsed values together has a maximum', () => {
  const text = JSON.stringify({ data: Array.from({ length: 300 }, () => 'a'.repeat(10_000)), id: 'x' });
  const { data, id } = read(text);
  assert.ok(Array.isArray(data));
  assert.deepEqual([data.length > 50, data.length < 110, id], [true, true, 'x']);
});

test('reads the members before text that cannot be read', () => {
  assert.deepEqual(read(`{"id":"a","deep":${'['.repeat(600)}${']'.repeat(600)},"usage":{}}`), { id: 'a' });
  assert.deepEqual(read('{"id":"a","data":[1,2'), { id: 'a' });
  for (const text of ['', '[1]', 'no JSON']) assert.deepEqual(read(text), {});
});
