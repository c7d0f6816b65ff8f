import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { DialectName, Seal } from './response-events.ts';
import { isPackedSeal, isSealAccepted, packSeal, unpackSeal } from './seal.ts';

const dialects: readonly DialectName[] = ['chat', 'responses', 'messages', 'gemini'];

test('a packed seal comes back byte-equal, whatever its bytes', () => {
  fc.assert(
    fc.property(fc.constantFrom(...dialects), fc.string(), fc.boolean(), (dialect, value, redacted) => {
      const seal: Seal = { dialect, value, redacted: redacted ? true : undefined, origin: 'cred1' };
      const packed = packSeal(seal, 'cred1');
      assert.ok(isPackedSeal(packed));
      assert.deepEqual(unpackSeal(packed, 'messages'), seal);
    }),
  );
});

test('a slot that holds no packed seal holds the dialect’s own', () => {
  for (const value of ['EqQBCg==', 'floe1.', 'floe1.nowhere.c.s.x', 'floe1.gemini.c.x.y'])
    assert.deepEqual(unpackSeal(value, 'messages'), { dialect: 'messages', value, redacted: undefined });
});

test('a seal goes to its own dialect and credential only', () => {
  const seal: Seal = { dialect: 'gemini', value: 'x', origin: 'a' };
  assert.ok(isSealAccepted(seal, 'gemini', 'a'));
  assert.ok(!isSealAccepted(seal, 'gemini', 'b'));
  assert.ok(!isSealAccepted(seal, 'messages', 'a'));
  assert.ok(isSealAccepted({ dialect: 'messages', value: 'x' }, 'messages', 'a'));
});
