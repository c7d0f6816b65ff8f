import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@floe/contract/faults';
import type { Scope } from '@floe/contract/scopes';
import { keyHint, newKey } from './key-format.ts';
import { compileKeyring, derivePepper, hashKey, holds, type KeyRecord, requireScope } from './keyring.ts';

const pepper = derivePepper(Buffer.alloc(32, 7));
const NOW = Date.UTC(2026, 10, 21);

function record(key: string, more: Partial<KeyRecord> = {}): KeyRecord {
  return {
    id: 'key_1',
    orgId: 'acme',
    name: 'ci',
    scopes: new Set<Scope>(['gateway']),
    models: null,
    team: null,
    owner: null,
    expiresAt: null,
    revokedAt: null,
    hash: hashKey(pepper, key),
    ...keyHint(key),
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

test('a known key gives its record, the first time and every time after', () => {
  const key = newKey();
  const known = record(key);
  const keyring = compileKeyring([known, record(newKey(), { id: 'key_2' })], pepper);
  assert.equal(keyring.authenticate(key, NOW), known);
  assert.equal(keyring.authenticate(key, NOW), known);
});

test('a key that is unknown while the store cannot say so is told to come again, a known one goes on', () => {
  const key = newKey();
  let isCurrent = false;
  const keyring = compileKeyring([record(key)], pepper, () => isCurrent);
  assert.equal(keyring.authenticate(key, NOW).id, 'key_1');
  assert.equal(
    codeOf(() => keyring.authenticate(newKey(), NOW)),
    'auth_unavailable',
  );
  isCurrent = true;
  assert.equal(
    codeOf(() => keyring.authenticate(newKey(), NOW)),
    'invalid_api_key',
  );
});

test('an unknown key stays unknown, however close it comes', () => {
  const key = newKey();
  const keyring = compileKeyring([record(key)], pepper);
  for (const wrong of [newKey(), `${key}x`, key.slice(0, -1), key.toLowerCase(), 'eis_', ''])
    assert.equal(
      codeOf(() => keyring.authenticate(wrong, NOW)),
      'invalid_api_key',
    );
});

test('a key is refused from the millisecond it expires, also when it was seen before', () => {
  const key = newKey();
  const keyring = compileKeyring([record(key, { expiresAt: NOW })], pepper);
  assert.equal(keyring.authenticate(key, NOW - 1).id, 'key_1');
  assert.equal(
    codeOf(() => keyring.authenticate(key, NOW)),
    'key_expired',
  );
});

test('a revoked key is told so, even when it has also expired', () => {
  const key = newKey();
  const keyring = compileKeyring([record(key, { revokedAt: NOW - 5, expiresAt: NOW - 1 })], pepper);
  assert.equal(
    codeOf(() => keyring.authenticate(key, NOW)),
    'key_revoked',
  );
});

test('a refusal names the key but never shows it', () => {
  const key = newKey();
  const keyring = compileKeyring([record(key, { revokedAt: 1 })], pepper);
  assert.throws(
    () => keyring.authenticate(key, NOW),
    (error) =>
      error instanceof Error && error.message.includes('"ci"') && !error.message.includes(key.slice(8, -4)),
  );
});

test('another pepper makes every key unknown, and the pepper depends on the secret key', () => {
  const key = newKey();
  const other = derivePepper(Buffer.alloc(32, 8));
  assert.notEqual(hashKey(pepper, key), hashKey(other, key));
  assert.equal(
    codeOf(() => compileKeyring([record(key)], other).authenticate(key, NOW)),
    'invalid_api_key',
  );
});

test('two records with one hash are a bug and stop the compilation', () => {
  const key = newKey();
  assert.throws(() => compileKeyring([record(key), record(key, { id: 'key_2' })], pepper), /share a hash/);
});

test('any one of the named scopes is enough, and monitoring may send beats', () => {
  const monitoring = record(newKey(), { scopes: new Set<Scope>(['monitoring']) });
  assert.ok(holds(monitoring.scopes, 'beat'));
  assert.ok(!holds(new Set<Scope>(['beat']), 'monitoring'));
  requireScope(monitoring, 'management', 'monitoring');
  assert.equal(
    codeOf(() => requireScope(monitoring, 'management', 'read')),
    'insufficient_scope',
  );
});
