import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { test } from 'node:test';
import fc from 'fast-check';
import { scanJsonObject } from './json-edits.ts';

const runs = process.env.FLOE_TEST_FULL === '1' ? 50_000 : 3_000;

function isReadable(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}

test('refuses text with many escapes exactly when JSON.parse does', () => {
  const piece = fc.constantFrom(
    '\\\\',
    '\\"',
    '\\n',
    '\\u00e9',
    'a',
    '1234567',
    '12345678',
    '123456789abcdef',
    'é',
  );
  const flaw = fc.constantFrom('', '', '\\', '\\x', '\\u00', '\\u00g0', '"', '\n');
  const pieces = fc.array(piece, { maxLength: 40 });
  const long = 'x'.repeat(2000);
  fc.assert(
    fc.property(pieces, flaw, pieces, fc.constantFrom('', long), (head, bad, tail, rest) => {
      const text = `{"a":"${head.join('')}${bad}${tail.join('')}","b":"${rest}"}`;
      for (const given of [text, text.slice(0, text.indexOf(bad) + bad.length), text.slice(0, -8)])
        assert.equal(
          isReadable(() => scanJsonObject(Buffer.from(given))),
          isReadable(() => JSON.parse(given)),
          given,
        );
    }),
    { numRuns: runs },
  );
});
