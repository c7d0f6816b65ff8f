import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { Fault } from '@floe/contract/faults';
import fc from 'fast-check';
import { createPlatformKeyHint, extractPlatformKey, generatePlatformKey } from './key-format.ts';

const NO_IMPORTED_KEYS = { hasImportedKeys: false, isImportedKey: () => false };

const KEY = `eis_${'a'.repeat(49)}`;
const OTHER = `eis_${'b'.repeat(49)}`;

test('a new key has eis_, 43 secret characters and a checksum that scanners can verify', () => {
  const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  const seen = new Set<string>();
  for (let i = 0; i < 200; i++) {
    const key = generatePlatformKey();
    assert.match(key, /^eis_[0-9A-Za-z]{49}$/);
    const checksum = [...key.slice(-6)].reduce((sum, char) => sum * 62 + alphabet.indexOf(char), 0);
    assert.equal(checksum, crc32(key.slice(0, -6)));
    seen.add(key);
  }
  assert.equal(seen.size, 200);
});

test('a hint has the first eight and the last four characters', () => {
  assert.deepEqual(createPlatformKeyHint('eis_AbCdEFGHIJ1234'), { prefix: 'eis_AbCd', last4: '1234' });
});

test('the key is found wherever clients send it, and sk-eis_ is the same key', () => {
  for (const headers of [
    { authorization: `Bearer ${KEY}` },
    { authorization: `bearer  ${KEY} ` },
    { authorization: `Bearer sk-${KEY}` },
    { 'x-api-key': KEY },
    { 'x-api-key': [KEY] },
    { 'x-api-key': `sk-${KEY}` },
    { 'api-key': KEY },
    { 'x-floe-key': KEY },
    { authorization: `Bearer ${KEY}`, 'x-api-key': `sk-${KEY}`, 'api-key': KEY, 'x-floe-key': KEY },
    { authorization: 'Bearer sk-ant-oat01-callers-own', 'x-floe-key': KEY },
    { authorization: 'Basic dXNlcjpwYXNz', 'x-api-key': KEY },
  ])
    assert.equal(extractPlatformKey(headers, NO_IMPORTED_KEYS), KEY);
});

test('a request without a platform key is a 401 that states how to send one', () => {
  for (const headers of [
    {},
    { authorization: KEY },
    { authorization: 'Bearer ' },
    { authorization: 'Bearer sk-proj-something' },
    { 'x-api-key': '' },
    { 'x-other': KEY },
  ])
    assert.throws(
      () => extractPlatformKey(headers, NO_IMPORTED_KEYS),
      (error) =>
        error instanceof Fault && error.code === 'missing_api_key' && /X-API-Key/.test(error.message),
    );
});

test('two different platform keys are rejected, and the message shows neither', () => {
  for (const name of ['x-api-key', 'api-key', 'x-floe-key'])
    for (const headers of [{ authorization: `Bearer ${KEY}`, [name]: OTHER }, { [name]: [KEY, OTHER] }])
      assert.throws(
        () => extractPlatformKey(headers, NO_IMPORTED_KEYS),
        (error) =>
          error instanceof Fault && error.code === 'invalid_api_key' && !/aaaa|bbbb/.test(error.message),
      );
});

test('for any headers, the result is a key that was sent or a 401', () => {
  const value = fc.oneof(
    fc.string(),
    fc.constantFrom(KEY, OTHER, `sk-${KEY}`, `Bearer ${KEY}`, `BEARER ${OTHER}`),
  );
  const headers = fc.record(
    { authorization: value, 'x-api-key': value, 'api-key': value, 'x-floe-key': value },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(headers, (presented) => {
      try {
        const key = extractPlatformKey(presented, NO_IMPORTED_KEYS);
        assert.ok(key.startsWith('eis_'));
        assert.ok(Object.values(presented).some((sent) => sent.includes(key)));
      } catch (error) {
        assert.ok(error instanceof Fault && error.status === 401);
      }
    }),
  );
});
