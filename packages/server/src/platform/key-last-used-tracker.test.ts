import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Clock, systemClock } from '../core/clock.ts';
import { silentLog } from '../core/log.ts';
import { listAllPlatformKeys } from '../store/all-platform-keys.ts';
import type { Database } from '../store/store-interfaces.ts';
import { bootstrapInstallation } from './bootstrap.ts';
import { createKeyLastUsedTracker } from './key-last-used-tracker.ts';
import {
  openTestPlatform,
  PLATFORM_TEST_NOW,
  platformTestPepper,
  type TestPlatform,
} from './test/test-platform.ts';

const timers: { ms: number; run: () => void; cancelled: boolean }[] = [];
const clock: Clock = {
  ...systemClock,
  now: () => PLATFORM_TEST_NOW,
  after(ms, run) {
    const timer = { ms, run, cancelled: false };
    timers.push(timer);
    return {
      cancel() {
        timer.cancelled = true;
      },
    };
  },
};

let stored: TestPlatform;
let keyId: string;
before(async () => {
  stored = await openTestPlatform(systemClock);
  await bootstrapInstallation(stored.database, platformTestPepper, clock);
  keyId = (await listAllPlatformKeys(stored.database.read))[0]?.id ?? '';
});
after(() => stored.close());

const lastUsedAt = async () => (await listAllPlatformKeys(stored.database.read))[0]?.last_used_at;

test('a first use is stored within a second, later ones at the end of the minute, and closing stores the rest', async () => {
  let writes = 0;
  const counting: Database = {
    ...stored.database,
    transaction: (work) => {
      writes += 1;
      return stored.database.transaction(work);
    },
  };
  const lastUsed = createKeyLastUsedTracker(counting, clock, silentLog);
  for (let i = 0; i < 100; i++) lastUsed.record({ id: keyId }, PLATFORM_TEST_NOW + i);
  assert.deepEqual([writes, timers.length, timers[0]?.ms], [0, 1, 1_000]);
  timers[0]?.run();
  for (let i = 0; i < 100; i++) lastUsed.record({ id: keyId }, PLATFORM_TEST_NOW + 200 + i);
  assert.deepEqual([timers.length, timers[1]?.ms], [2, 60_000]);
  lastUsed.record({ id: 'key_gone' }, PLATFORM_TEST_NOW + 300);
  assert.deepEqual([timers.length, timers[2]?.ms], [3, 1_000]);
  timers[2]?.run();
  assert.equal(timers[1]?.cancelled, true, 'one write takes all that is pending');
  lastUsed.record({ id: keyId }, PLATFORM_TEST_NOW + 60_300);
  assert.equal(timers[3]?.ms, 1_000, 'a minute later it is a first use again');
  await lastUsed.close();
  assert.equal(timers[3]?.cancelled, true);
  assert.deepEqual([writes, await lastUsedAt()], [3, PLATFORM_TEST_NOW + 60_300]);
});

test('a use of the value before a rotation counts for the key, and is stored separately', async () => {
  const lastUsed = createKeyLastUsedTracker(stored.database, clock, silentLog);
  const superseded = ['deprecation', '@1', 'sunset', 'x'];
  lastUsed.record({ id: keyId, deprecationHeaders: superseded }, PLATFORM_TEST_NOW + 70_300);
  lastUsed.record({ id: keyId, deprecationHeaders: null }, PLATFORM_TEST_NOW + 70_400);
  await lastUsed.close();
  const [key] = await listAllPlatformKeys(stored.database.read);
  assert.deepEqual(
    [key?.last_used_at, key?.previous_last_used_at],
    [PLATFORM_TEST_NOW + 70_400, PLATFORM_TEST_NOW + 70_300],
  );
});

test('an unavailable database is no error for the caller', async () => {
  const away: Database = { ...stored.database, transaction: () => Promise.reject(new Error('away')) };
  const lastUsed = createKeyLastUsedTracker(away, clock, silentLog);
  lastUsed.record({ id: keyId }, PLATFORM_TEST_NOW + 70_900);
  await lastUsed.close();
  assert.notEqual(await lastUsedAt(), PLATFORM_TEST_NOW + 70_900);
});
