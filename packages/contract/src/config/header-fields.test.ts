import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createExtraHeadersField, createSecretField } from './fields.ts';

/** Also characters that HTTP cannot send in a header. */
const BREAKS = ['\r', '\n', '\0', '\x1b', '\x7f', '\u0100', '\uffff', '😀'];

test('no value that becomes a header can hold a line break, a control character or a character above U+00FF', () => {
  fc.assert(
    fc.property(fc.string(), fc.constantFrom(...BREAKS), fc.string(), (before, control, after) => {
      const text = before + control + after;
      assert.equal(createSecretField().safeParse(text).success, false);
      assert.equal(createExtraHeadersField().safeParse({ 'x-any': text }).success, false);
    }),
  );
  assert.equal(createSecretField().safeParse('sk-ab/c+d==').success, true);
  assert.equal(createExtraHeadersField().safeParse({ 'x-any': 'two words\tand é' }).success, true);
});

test('headers that frame or address a request are not configurable, in any spelling', () => {
  for (const name of ['host', 'Host', 'HOST', 'content-length', 'Transfer-Encoding', 'connection', 'expect'])
    assert.equal(createExtraHeadersField().safeParse({ [name]: 'x' }).success, false, name);
  assert.equal(createExtraHeadersField().safeParse({ 'x-host': 'x' }).success, true);
});
