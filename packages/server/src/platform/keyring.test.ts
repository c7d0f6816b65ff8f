import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { Fault } from '@floe/contract/faults';
import type { KeyScope } from '@floe/contract/scopes';
import {
  createImportedKeyHint,
  createPlatformKeyHint,
  extractPlatformKey,
  generatePlatformKey,
} from './key-format.ts';
import {
  compileKeyring,
  derivePlatformKeyPepper,
  hashImportedKey,
  hashPlatformKey,
  includesKeyScope,
  type KeyRecord,
  requireKeyScope,
} from './keyring.ts';

const pepper = derivePlatformKeyPepper(Buffer.alloc(32, 7));
const NOW = Date.UTC(2026, 10, 21);

function record(key: string, more: Partial<KeyRecord> = {}): KeyRecord {
  return {
    id: 'key_1',
    orgId: 'acme',
    name: 'ci',
    scopes: new Set<KeyScope>(['gateway']),
    models: null,
    team: null,
    owner: null,
    expiresAt: null,
    revokedAt: null,
    hash: hashPlatformKey(pepper, key),
    ...createPlatformKeyHint(key),
    ...more,
  };
}

const codeOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof Fault);
    return error.code;
  }
  return 'none';
};

test('a known key returns its record each time', () => {
  const key = generatePlatformKey();
  const known = record(key);
  const keyring = compileKeyring([known, record(generatePlatformKey(), { id: 'key_2' })], pepper);
  assert.equal(keyring.authenticate(key, NOW), known);
  assert.equal(keyring.authenticate(key, NOW), known);
});

test('while the database is unavailable, an unknown key gets a retry error, and a known one works', () => {
  const key = generatePlatformKey();
  let isCurrent = false;
  const keyring = compileKeyring([record(key)], pepper, () => isCurrent);
  assert.equal(keyring.authenticate(key, NOW).id, 'key_1');
  assert.equal(
    codeOf(() => keyring.authenticate(generatePlatformKey(), NOW)),
    'auth_unavailable',
  );
  isCurrent = true;
  assert.equal(
    codeOf(() => keyring.authenticate(generatePlatformKey(), NOW)),
    'invalid_api_key',
  );
});

test('an unknown key remains unknown, however similar it is', () => {
  const key = generatePlatformKey();
  const keyring = compileKeyring([record(key)], pepper);
  for (const wrong of [generatePlatformKey(), `${key}x`, key.slice(0, -1), key.toLowerCase(), 'eis_', ''])
    assert.equal(
      codeOf(() => keyring.authenticate(wrong, NOW)),
      'invalid_api_key',
    );
});

test('a key is rejected from the millisecond of its expiry, also if it was used before', () => {
  const key = generatePlatformKey();
  const keyring = compileKeyring([record(key, { expiresAt: NOW })], pepper);
  assert.equal(keyring.authenticate(key, NOW - 1).id, 'key_1');
  assert.equal(
    codeOf(() => keyring.authenticate(key, NOW)),
    'key_expired',
  );
});

test('a revoked key is reported as revoked, even if it has also expired', () => {
  const key = generatePlatformKey();
  const keyring = compileKeyring([record(key, { revokedAt: NOW - 5, expiresAt: NOW - 1 })], pepper);
  assert.equal(
    codeOf(() => keyring.authenticate(key, NOW)),
    'key_revoked',
  );
});

test('a key that was revoked more than 90 days ago is unknown, without a new snapshot', () => {
  const key = generatePlatformKey();
  const keyring = compileKeyring([record(key, { revokedAt: NOW })], pepper);
  const until = NOW + 90 * 24 * 60 * 60 * 1000;
  assert.equal(
    codeOf(() => keyring.authenticate(key, until)),
    'key_revoked',
  );
  assert.equal(
    codeOf(() => keyring.authenticate(key, until + 1)),
    'invalid_api_key',
  );
});

test('an error names the key without its value', () => {
  const key = generatePlatformKey();
  const keyring = compileKeyring([record(key, { revokedAt: NOW - 1 })], pepper);
  assert.throws(
    () => keyring.authenticate(key, NOW),
    (error) =>
      error instanceof Error && error.message.includes('"ci"') && !error.message.includes(key.slice(8, -4)),
  );
});

test('with another pepper, every key is unknown, and the pepper depends on the secret key', () => {
  const key = generatePlatformKey();
  const other = derivePlatformKeyPepper(Buffer.alloc(32, 8));
  assert.notEqual(hashPlatformKey(pepper, key), hashPlatformKey(other, key));
  assert.equal(
    codeOf(() => compileKeyring([record(key)], other).authenticate(key, NOW)),
    'invalid_api_key',
  );
});

test('two records with one hash are a defect and stop the compilation', () => {
  const key = generatePlatformKey();
  assert.throws(
    () => compileKeyring([record(key), record(key, { id: 'key_2' })], pepper),
    /the keys key_2 and \w+ cannot be distinguished/,
  );
});

test('any of the accepted scopes is sufficient, and monitoring includes sending beats', () => {
  const monitoring = record(generatePlatformKey(), { scopes: new Set<KeyScope>(['monitoring']) });
  assert.ok(includesKeyScope(monitoring.scopes, 'beat'));
  assert.ok(!includesKeyScope(new Set<KeyScope>(['beat']), 'monitoring'));
  requireKeyScope(monitoring, 'management', 'monitoring');
  assert.equal(
    codeOf(() => requireKeyScope(monitoring, 'management', 'read')),
    'insufficient_scope',
  );
});

const sha256Of = (value: string) => createHash('sha256').update(value).digest('hex');

function importedRecord(value: string, more: Partial<KeyRecord> = {}): KeyRecord {
  const sha256 = sha256Of(value);
  return record(value, {
    hash: hashImportedKey(pepper, sha256),
    ...createImportedKeyHint(sha256),
    ...more,
  });
}

test('a key imported with its SHA-256 hash authenticates with its value in any format, and not with its hash', () => {
  const value = 'sk-Nn7QeGhZ0A1b2c3d4e5f6g';
  const known = importedRecord(value);
  const keyring = compileKeyring([known, record(generatePlatformKey(), { id: 'key_2' })], pepper);
  for (const headers of [
    { authorization: `Bearer ${value}` },
    { 'x-api-key': value },
    { 'api-key': value },
    { authorization: 'Bearer sk-ant-own', 'x-api-key': value },
  ])
    assert.equal(keyring.authenticate(extractPlatformKey(headers, keyring), NOW), known);
  for (const wrong of [sha256Of(value), `sha256:${sha256Of(value)}`, `${value}x`, 'sk-'])
    assert.equal(
      codeOf(() => keyring.authenticate(wrong, NOW)),
      'invalid_api_key',
    );
});

test("a value in Floe's format takes precedence over an imported key, and without imported keys others are ignored", () => {
  const value = 'sk-Nn7QeGhZ0A1b2c3d4e5f6g';
  const own = generatePlatformKey();
  const keyring = compileKeyring([importedRecord(value), record(own, { id: 'key_2' })], pepper);
  const headers = { authorization: `Bearer ${value}`, 'x-floe-key': own };
  assert.equal(keyring.authenticate(extractPlatformKey(headers, keyring), NOW).id, 'key_2');
  const without = compileKeyring([record(own)], pepper);
  assert.equal(without.hasImportedKeys, false);
  assert.equal(
    codeOf(() => extractPlatformKey({ authorization: `Bearer ${value}` }, without)),
    'missing_api_key',
  );
  assert.equal(
    codeOf(() => without.authenticate(value, NOW)),
    'invalid_api_key',
  );
});

test('an imported key that was revoked or has expired is reported as such', () => {
  const value = 'sk-Nn7QeGhZ0A1b2c3d4e5f6g';
  const expired = compileKeyring([importedRecord(value, { expiresAt: NOW })], pepper);
  assert.equal(
    codeOf(() => expired.authenticate(value, NOW)),
    'key_expired',
  );
});
