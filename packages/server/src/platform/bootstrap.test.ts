import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { KEY_SCOPES } from '@floe/contract/scopes';
import { systemClock } from '../core/clock.ts';
import { listAllPlatformKeys } from '../store/all-platform-keys.ts';
import { listOrgs } from '../store/orgs.ts';
import { getSetting } from '../store/settings.ts';
import { bootstrapInstallation, OWNER_LINK_SETTING } from './bootstrap.ts';
import { loadKeyring } from './load-keyring.ts';
import { openTestPlatform, PLATFORM_TEST_NOW, platformTestPepper } from './test/test-platform.ts';

test('a first start creates an organization, a key with every scope and a sign-in token; a second one creates nothing', async () => {
  const stored = await openTestPlatform(systemClock);
  const clock = { ...systemClock, now: () => PLATFORM_TEST_NOW };
  const [first, second] = await Promise.all([
    bootstrapInstallation(stored.database, platformTestPepper, clock),
    bootstrapInstallation(stored.database, platformTestPepper, clock),
  ]);
  const made = first ?? second;
  assert.ok(made && (first === null || second === null));
  assert.equal(await bootstrapInstallation(stored.database, platformTestPepper, clock), null);

  const keyring = await loadKeyring(stored.database.read, platformTestPepper, PLATFORM_TEST_NOW);
  assert.deepEqual(
    (await listOrgs(stored.database.read)).map(({ id }) => id),
    ['default'],
  );
  const record = keyring.authenticate(made.key, PLATFORM_TEST_NOW);
  assert.deepEqual([...record.scopes].sort(), [...KEY_SCOPES].sort());
  assert.equal((await listAllPlatformKeys(stored.database.read)).length, 1);
  assert.deepEqual(
    (await stored.auditOf(record.id)).map(({ actor, action }) => [actor, action]),
    [['setup', 'keys.create']],
  );

  const setting = JSON.parse((await getSetting(stored.database.read, OWNER_LINK_SETTING)) ?? '{}');
  assert.deepEqual(setting, {
    sha256: createHash('sha256').update(made.signInToken).digest('hex'),
    operator: true,
    org_id: 'default',
    expires_at: PLATFORM_TEST_NOW + 24 * 60 * 60 * 1000,
  });
  await stored.close();
});
