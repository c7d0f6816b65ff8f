import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '@floe/testkit/clock';
import { answerCacheSuite } from './cache.suite.ts';
import { MemoryAnswerCache } from './memory.ts';

answerCacheSuite('memory', async () => {
  const clock = new FakeClock();
  return { cache: new MemoryAnswerCache(clock), pass: async (ms) => clock.advance(ms) };
});

test('memory: the least recently used answers go first, and all together stay below the bound', async () => {
  const cache = new MemoryAnswerCache(new FakeClock(), 10_000);
  const body = Buffer.alloc(2_000);
  for (const key of ['a', 'b', 'c', 'd']) {
    await cache.put('org', key, { head: '', body }, 60_000);
    await cache.get('org', 'a');
  }
  const found = await Promise.all(['a', 'b', 'c', 'd'].map((key) => cache.get('org', key)));
  assert.deepEqual(found.map(Boolean), [true, false, true, true]);
});
