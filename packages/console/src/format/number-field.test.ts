import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseNumberField } from './number-field.ts';

test('thousands separators are accepted, and a decimal comma is not one', () => {
  for (const [text, value] of [
    ['', null],
    ['12', 12],
    ['0.125', 0.125],
    ['1,000', 1_000],
    ['1 000 000.5', 1_000_000.5],
    ['10_000', 10_000],
    ['0,125', '0,125'],
    ['1234,567', '1234,567'],
    ['1,5', '1,5'],
    ['many', 'many'],
  ] as const)
    assert.equal(parseNumberField(text), value, text);
});
