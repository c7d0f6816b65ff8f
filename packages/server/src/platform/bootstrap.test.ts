import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { SCOPES } from '@floe/contract/scopes';
import { systemClock } from '../core/clock.ts';
import { allKeys } from '../store/platform-keys.ts';
import { settingValue } from '../store/settings.ts';
import { bootstrap, SIGN_IN_SETTING } from './bootstrap.ts';
import { loadPlatform } from './platform.ts';
import { NOW, openStored, pepper } from './test/stored.ts';

test('a first start makes an org, a key with every scope and a sign-in token; a second makes nothing', async () => {
  const stored = await openStored(systemClock);
  const clock = { ...systemClock, now: () => NOW };
  const [first, second] = await Promise.all([
    bootstrap(stored.database, pepper, clock),
    bootstrap(stored.database, pepper, clock),
  ]);
  const made = first ?? second;
  assert.ok(made && (first === null || second === null));
  assert.equal(await bootstrap(stored.database, pepper, clock), null);

  const platform = await loadPlatform(stored.database.read, pepper, NOW);
  assert.deepEqual([...platform.orgs.keys()], ['default']);
  const record = platform.keyring.authenticate(made.key, NOW);
  assert.deepEqual([...record.scopes].sort(), [...SCOPES].sort());
  assert.equal((await allKeys(stored.database.read)).length, 1);
  assert.deepEqual(
    (await stored.auditOf(record.id)).map(({ actor, action }) => [actor, action]),
    [['setup', 'keys.create']],
  );

  const setting = JSON.parse((await settingValue(stored.database.read, SIGN_IN_SETTING)) ?? '{}');
  assert.deepEqual(setting, {
    sha256: createHash('sha256').update(made.signInToken).digest('hex'),
    operator: true,
    org_id: 'default',
    expires_at: NOW + 24 * 60 * 60 * 1000,
  });
  await stored.close();
});
