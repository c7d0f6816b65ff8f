import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@floe/contract/faults';
import fc from 'fast-check';
import { MAX_JSON_DEPTH, parseJsonBody } from './json-body.ts';

const nested = (levels: number) => Buffer.from(`${'['.repeat(levels)}${']'.repeat(levels)}`);
const codeOf = (body: Buffer) => {
  try {
    parseJsonBody(body);
    return null;
  } catch (error) {
    return error instanceof Fault ? error.code : String(error);
  }
};

test('a body is read up to the maximum depth and rejected above it, for any depth', () => {
  assert.equal(codeOf(nested(MAX_JSON_DEPTH)), null);
  for (const levels of [MAX_JSON_DEPTH + 1, 500_000]) assert.equal(codeOf(nested(levels)), 'invalid_request');
  assert.equal(codeOf(Buffer.from('{"a":')), 'invalid_json');
});

test('values below the maximum depth are replaced with 0 where a body of any depth is accepted', () => {
  const cut = (json: string) => parseJsonBody(Buffer.from(json), 'cut');
  const at = (levels: number, value: string) => `${'['.repeat(levels)}${value}${']'.repeat(levels)}`;
  const inside = at(MAX_JSON_DEPTH - 1, '[1,{"a":"]"},[[2,"\\"["]],3,[]]');
  assert.deepEqual(cut(inside), JSON.parse(at(MAX_JSON_DEPTH - 1, '[1,0,0,3,0]')));
  assert.deepEqual(cut('{"a":[1]}'), { a: [1] });
  assert.deepEqual(cut(nested(500_000).toString()), JSON.parse(at(MAX_JSON_DEPTH, '0')));
  assert.throws(
    () => cut('['.repeat(500)),
    (error) => error instanceof Fault && error.code === 'invalid_json',
  );
});

test('any shallow JSON value has the same result as JSON.parse, including brackets and quotes in text', () => {
  const texts = fc.string({ unit: fc.constantFrom('[', ']', '{', '}', '"', '\\', 'a', 'é') });
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'grapheme' }), texts, (value, text) => {
      const json = JSON.stringify({ value, [text]: text.repeat(50) });
      assert.deepEqual(parseJsonBody(Buffer.from(json)), JSON.parse(json));
    }),
  );
});
