import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BodyChunks } from './body-chunks.ts';

test('the body is the concatenation of its pieces, whatever their sizes', () => {
  const sizes = fc.array(fc.oneof(fc.constant(0), fc.constant(1), fc.integer({ min: 0, max: 70_000 })), {
    maxLength: 60,
  });
  fc.assert(
    fc.property(sizes, (lengths) => {
      const expected: Buffer[] = [];
      const pieces = new BodyChunks();
      for (const [n, length] of lengths.entries()) {
        const bytes = Buffer.alloc(length, n);
        expected.push(Buffer.from(bytes));
        pieces.append(bytes);
      }
      assert.equal(
        pieces.size,
        lengths.reduce((sum, each) => sum + each, 0),
      );
      assert.ok(pieces.take().equals(Buffer.concat(expected)));
    }),
  );
});

test('a body in pieces of one byte uses memory for its bytes, and not for each piece', () => {
  const pieces = new BodyChunks();
  const before = process.memoryUsage();
  for (let n = 0; n < 2_000_000; n += 1) pieces.append(Buffer.of(n % 256));
  const { arrayBuffers } = process.memoryUsage();
  assert.ok(arrayBuffers - before.arrayBuffers < 32 << 20, `${arrayBuffers - before.arrayBuffers} bytes`);
  assert.equal(pieces.take().length, 2_000_000);
});
