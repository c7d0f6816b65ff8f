import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '@floe/testkit/fake-clock';
import { InMemoryResponseCache } from './in-memory-response-cache.ts';
import { responseCacheSuite } from './response-cache.suite.ts';

responseCacheSuite('memory', async () => {
  const clock = new FakeClock();
  return { cache: new InMemoryResponseCache(clock), pass: async (ms) => clock.advance(ms) };
});

test('memory: the least recently used responses are evicted, and all together stay below the limit', async () => {
  const cache = new InMemoryResponseCache(new FakeClock(), 10_000);
  const body = Buffer.alloc(2_000);
  for (const key of ['a', 'b', 'c', 'd']) {
    await cache.put('org', key, { head: '', body }, 60_000);
    await cache.get('org', 'a');
  }
  const found = await Promise.all(['a', 'b', 'c', 'd'].map((key) => cache.get('org', key)));
  assert.deepEqual(found.map(Boolean), [true, false, true, true]);
});

test('memory: the size per organization is exact after replacement, eviction and expiry', async () => {
  const clock = new FakeClock();
  const cache = new InMemoryResponseCache(clock, 10_000);
  const answer = { head: 'h', body: Buffer.alloc(487) };
  await cache.put('one', 'a', answer, 1_000);
  await cache.put('one', 'a', answer, 1_000);
  await cache.put('one', 'a', { ...answer, body: Buffer.alloc(987) }, 1_000);
  await cache.put('one', 'b', answer, 60_000);
  await cache.put('two', 'a', answer, 60_000);
  assert.deepEqual(cache.getSize('one'), { entries: 2, bytes: 2_500 });
  assert.deepEqual(cache.getSize('two'), { entries: 1, bytes: 1_000 });
  clock.advance(1_001);
  assert.deepEqual(cache.getSize('one'), { entries: 1, bytes: 1_000 });
  for (let n = 0; n < 20; n++) await cache.put('two', `more ${n}`, answer, 60_000);
  assert.deepEqual(cache.getSize('one'), { entries: 1, bytes: 1_000 });
  assert.deepEqual(cache.getSize('two'), { entries: 9, bytes: 9_000 });
  clock.advance(60_001);
  assert.deepEqual(cache.getSize('one'), { entries: 0, bytes: 0 });
  assert.deepEqual(cache.getSize('two'), { entries: 0, bytes: 0 });
});

test('memory: an organization with many responses does not evict those of another one', async () => {
  const cache = new InMemoryResponseCache(new FakeClock(), 10_000);
  const answer = { head: '', body: Buffer.alloc(488) };
  for (let n = 0; n < 100; n++) {
    if (n < 4) await cache.put('acme', `own ${n}`, answer, 60_000);
    await cache.put('hostile', `many ${n}`, answer, 60_000);
  }
  assert.deepEqual(cache.getSize('acme'), { entries: 4, bytes: 4_000 });
  for (let n = 4; n < 8; n++) await cache.put('acme', `own ${n}`, answer, 60_000);
  assert.equal(cache.getSize('acme').entries, 5);
  assert.equal(cache.getSize('hostile').entries, 5);
});
