import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { extraHeadersField, secretField } from './fields.ts';

const BREAKS = ['\r', '\n', '\0', '\x1b', '\x7f'];

test('no value that becomes a header can hold a line break or a control character', () => {
  fc.assert(
    fc.property(fc.string(), fc.constantFrom(...BREAKS), fc.string(), (before, control, after) => {
      const text = before + control + after;
      assert.equal(secretField().safeParse(text).success, false);
      assert.equal(extraHeadersField().safeParse({ 'x-any': text }).success, false);
    }),
  );
  assert.equal(secretField().safeParse('sk-ab/c+d==').success, true);
  assert.equal(extraHeadersField().safeParse({ 'x-any': 'two words\tand é' }).success, true);
});

test('headers that frame or address a request are not configurable, in any spelling', () => {
  for (const name of ['host', 'Host', 'HOST', 'content-length', 'Transfer-Encoding', 'connection', 'expect'])
    assert.equal(extraHeadersField().safeParse({ [name]: 'x' }).success, false, name);
  assert.equal(extraHeadersField().safeParse({ 'x-host': 'x' }).success, true);
});
