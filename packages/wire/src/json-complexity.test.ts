import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { test } from 'node:test';
import { Fault } from '@floe/contract/faults';
import { scanJsonObject } from './json-edits.ts';

/** Returns the code with which a scan of a body ends; null if it is accepted. */
function codeOf(body: string, maxComplexity?: number): string | null {
  try {
    scanJsonObject(Buffer.from(body), maxComplexity);
    return null;
  } catch (error) {
    if (error instanceof Fault) return error.code;
    throw error;
  }
}

/** Bodies with their complexities. */
const COMPLEXITIES: readonly (readonly [body: string, complexity: number])[] = [
  ['{}', 10],
  ['{"a":1}', 21],
  ['{"a":"b"}', 30],
  ['{"a":[true,null,-1.5]}', 33],
  ['{"a":{"b":{}}}', 50],
  ['{"a":[1.10,12345678901234567890]}', 92],
];

test('rejects a body whose complexity exceeds the maximum', () => {
  for (const [body, complexity] of COMPLEXITIES) {
    assert.equal(codeOf(body, complexity), null, body);
    assert.equal(codeOf(body, complexity - 1), 'request_too_large', body);
  }
});

test('accepts any complexity without a maximum', () => {
  assert.equal(codeOf(`{"a":[${'{},'.repeat(200_000)}0]}`), null);
});

test('rejects more than 1,000 top-level members', () => {
  const members = (count: number) => `{${Array.from({ length: count }, (_, at) => `"k${at}":1`).join(',')}}`;
  assert.equal(codeOf(members(1_000)), null);
  assert.equal(codeOf(members(1_001)), 'request_too_large');
});

test('reports the maximum in the terms of JSON', () => {
  assert.throws(() => scanJsonObject(Buffer.from('{"a":["b","c"]}'), 20), {
    message:
      'The request body has too many JSON values. The maximum is 2 names, strings, objects and arrays. Ten numbers, booleans or nulls count as one of these. A number that JavaScript would write differently, such as 1.10, counts as three of these. Remove values, or split the request.',
  });
});
