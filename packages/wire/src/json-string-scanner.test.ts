import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { test } from 'node:test';
import fc from 'fast-check';
import { skipStringText } from './json-bytes.ts';
import { JsonCursor } from './json-cursor.ts';
import { createReaderId, isScannerSupported, skipLongStringText } from './json-string-scanner.ts';

const runs = process.env.FLOE_TEST_FULL === '1' ? 20_000 : 1_000;

/** Text with escapes, stops and flaws at any position of a 16-byte block. */
const text = fc
  .array(
    fc.oneof(
      {
        weight: 6,
        arbitrary: fc.constantFrom('a', 'é', '日', '😀', '0123456789abcdef', '\\n', '\\"', '\\\\'),
      },
      { weight: 3, arbitrary: fc.constantFrom('\\u00e9', '\\uD83D', '\\/', '\\b') },
      {
        weight: 1,
        arbitrary: fc.constantFrom('"', '\n', '\u0000', '\u001f', '\\x', '\\u00g0', '\\', '\\u12'),
      },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: 40 }).map((count) => 'x'.repeat(count)) },
    ),
    { maxLength: 60 },
  )
  .map((pieces) => Buffer.from(pieces.join('')));

test('the tests use WebAssembly', () => {
  assert.ok(
    isScannerSupported,
    'without SIMD instructions, the tests of this file compare a function with itself',
  );
});

test('finds the same end of a text as the reading of single bytes', () => {
  fc.assert(
    fc.property(text, fc.nat(), fc.nat(), (bytes, from, to) => {
      const start = from % (bytes.length + 1);
      const end = start + (to % (bytes.length - start + 1));
      assert.equal(
        skipLongStringText(createReaderId(), bytes, start, end),
        skipStringText(bytes, start, end),
      );
    }),
    { numRuns: runs },
  );
});

test('finds the end of a text of several windows, also if an escape crosses their border', () => {
  for (const sequence of ['\\n', '\\u00e9', '\\\\', '\\x', '\\u00g0'])
    for (let shift = 0; shift < 8; shift += 1)
      for (const ending of ['"', '', '\\']) {
        const bytes = Buffer.from(
          `${'x'.repeat(4 * 1024 - shift)}${sequence}${'y'.repeat(400_000)}${ending}`,
        );
        const end = bytes.length;
        assert.equal(skipLongStringText(createReaderId(), bytes, 0, end), skipStringText(bytes, 0, end));
      }
});

test('readers that alternate read their own bytes', () => {
  const one = Buffer.from(`${'a'.repeat(10_000)}"`);
  const other = Buffer.from(`${'b'.repeat(5_000)}"${'c'.repeat(5_000)}"`);
  const [reader, otherReader] = [createReaderId(), createReaderId()];
  for (let at = 0; at < 9_000; at += 100) {
    assert.equal(skipLongStringText(reader, one, at, one.length), 10_000);
    assert.equal(skipLongStringText(otherReader, other, at, other.length), at <= 5_000 ? 5_000 : 10_001);
  }
});

test('a buffer that is filled again is read again', () => {
  const bytes = Buffer.alloc(2_000, 'a');
  const value = () => {
    const cursor = new JsonCursor(bytes);
    cursor.skip();
    return cursor.at;
  };
  bytes.write(`"${'a'.repeat(100)}"`);
  assert.equal(value(), 102);
  bytes.fill('b');
  bytes.write(`"${'b'.repeat(1_000)}"`);
  assert.equal(value(), 1_002);
});
