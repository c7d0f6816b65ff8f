import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { FatalError } from '../core/fatal-error.ts';
import {
  type InstallationSecretKey,
  type InstallationSecretKeyOptions,
  loadInstallationSecretKey,
} from './secret-key.ts';
import { createTemporaryDirectory } from './test/temporary-directory.ts';

const GIVEN = 'a given key of more than 32 characters';

/** As a start does it with a new database. */
function loadAndRemember(options: InstallationSecretKeyOptions): InstallationSecretKey {
  const secret = loadInstallationSecretKey(options);
  secret.remember();
  return secret;
}

const refuses = (pattern: RegExp) => (error: unknown) =>
  error instanceof FatalError && pattern.test(error.message);

test('a key is generated once, readable by its owner only, and read again later', (t) => {
  const dataDir = join(createTemporaryDirectory(t), 'made');
  assert.equal(loadInstallationSecretKey({ dataDir }).isGenerated, true);
  assert.equal(existsSync(dataDir), false, 'nothing is written before the database accepts the key');
  const first = loadAndRemember({ dataDir });
  assert.equal(first.isGenerated, true);
  assert.equal(first.key.length, 32);
  assert.equal(statSync(join(dataDir, 'secret.key')).mode & 0o777, 0o600);
  const again = loadInstallationSecretKey({ dataDir });
  assert.equal(again.isGenerated, false);
  assert.deepEqual(again.key, first.key);
});

test('a key that other users can read is rejected with the command that fixes it', (t) => {
  const dataDir = createTemporaryDirectory(t);
  const { key } = loadAndRemember({ dataDir });
  const file = join(dataDir, 'secret.key');
  for (const bit of [0o040, 0o020, 0o010, 0o004, 0o002, 0o001]) {
    chmodSync(file, 0o600 | bit);
    assert.throws(
      () => loadInstallationSecretKey({ dataDir }),
      refuses(/chmod 600 .*secret\.key/),
      bit.toString(8),
    );
  }
  for (const mode of [0o600, 0o400]) {
    chmodSync(file, mode);
    assert.deepEqual(loadInstallationSecretKey({ dataDir }).key, key);
  }
});

test('two installations have different keys', (t) => {
  const one = loadInstallationSecretKey({ dataDir: createTemporaryDirectory(t) });
  const other = loadInstallationSecretKey({ dataDir: createTemporaryDirectory(t) });
  assert.notDeepEqual(one.key, other.key);
});

test('a generated key can be moved from its file to the environment', (t) => {
  const dataDir = createTemporaryDirectory(t);
  const { key } = loadAndRemember({ dataDir });
  const given = readFileSync(join(dataDir, 'secret.key'), 'utf8').trim();
  rmSync(join(dataDir, 'secret.key'));
  assert.deepEqual(loadInstallationSecretKey({ dataDir, given }).key, key);
});

test('a configured key is used, never stored, and must not be short', (t) => {
  const dataDir = createTemporaryDirectory(t);
  assert.throws(
    () => loadInstallationSecretKey({ dataDir, given: 'x'.repeat(31) }),
    refuses(/FLOE_SECRET_KEY must be at least 32 characters long, got 31/),
  );
  const { key, isGenerated } = loadAndRemember({ dataDir, given: GIVEN });
  assert.equal(isGenerated, false);
  assert.deepEqual(loadInstallationSecretKey({ dataDir, given: GIVEN }).key, key);
  assert.throws(() => readFileSync(join(dataDir, 'secret.key')), /ENOENT/);
  assert.ok(
    !readFileSync(join(dataDir, 'secret.fingerprint'), 'utf8').includes(key.toString('hex').slice(0, 8)),
  );
});

test('a different, missing or truncated key is rejected', (t) => {
  const dataDir = createTemporaryDirectory(t);
  loadAndRemember({ dataDir });
  assert.throws(
    () => loadInstallationSecretKey({ dataDir, given: GIVEN }),
    refuses(/FLOE_SECRET_KEY is not the secret key/),
  );
  writeFileSync(join(dataDir, 'secret.key'), 'another key, also of 32 characters and more');
  assert.throws(() => loadInstallationSecretKey({ dataDir }), refuses(/secret\.key is not the secret key/));
  writeFileSync(join(dataDir, 'secret.key'), 'cut');
  assert.throws(() => loadInstallationSecretKey({ dataDir }), refuses(/is truncated/));
  rmSync(join(dataDir, 'secret.key'));
  assert.throws(() => loadInstallationSecretKey({ dataDir }), refuses(/is missing\. Restore/));
});
