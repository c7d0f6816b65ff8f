import assert from 'node:assert/strict';
import { test } from 'node:test';
import { estimateTokens } from './token-estimate.ts';

/** Counts that a provider reported for such text, give or take a third. */
const KNOWN: readonly (readonly [text: string, tokens: number])[] = [
  ['The quick brown fox jumps over the lazy dog.', 10],
  ['export function add(a: number, b: number): number {\n  return a + b;\n}\n', 24],
  ['3.14159265358979', 7],
  ['你好，世界。今天天气很好。', 11],
];

for (const [text, tokens] of KNOWN)
  test(`"${text.slice(0, 20)}…" comes to about ${tokens} tokens`, () => {
    const estimate = estimateTokens(text);
    assert.ok(estimate >= tokens * 0.6 && estimate <= tokens * 1.5, `${estimate}`);
  });

test('an estimate grows with the text and does not care how it is cut into parts', () => {
  const text = 'All happy families are alike. ';
  const once = estimateTokens(text.repeat(50));
  assert.ok(Math.abs(estimateTokens(text.repeat(5_000)) / once - 100) < 5);
  const parts = Array.from({ length: 50 }, () => ({ type: 'text', text }));
  assert.ok(estimateTokens(parts) >= once);
});

test('text without end costs no more to look at than its first two million characters', () => {
  const unbroken = 'x'.repeat(16_000_000);
  assert.ok(estimateTokens(unbroken) > 1_000_000);
});

test('a picture counts as a picture, whatever its bytes', () => {
  const picture = (data: string) => ({
    type: 'image',
    source: { type: 'base64', media_type: 'image/png', data },
  });
  assert.equal(estimateTokens([picture('A'.repeat(100_000))]), estimateTokens([picture('A')]));
});

test('nothing at all is still one token', () => {
  assert.equal(estimateTokens(undefined, [], ''), 1);
});
