import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '@floe/testkit/clock';
import { eventually } from '@floe/testkit/patience';
import { startRedis } from '@floe/testkit/redis';
import { systemClock } from '../../core/clock.ts';
import { redisUrl } from '../test/redis-server.ts';
import type { AnswerCache } from './answer-cache.ts';
import { answerCacheSuite } from './cache.suite.ts';
import { openRedisAnswerCache } from './redis.ts';

answerCacheSuite('redis', async (t) => {
  // What is kept is judged here, not how fast: nothing is late for a clock whose timers never ring.
  const clock = { ...systemClock, after: () => ({ cancel: () => undefined }) };
  const cache = await openRedisAnswerCache({ url: await redisUrl(), clock });
  t.after(() => cache.close());
  await ready(cache);
  // Redis has a clock of its own: its time cannot be injected, only waited for.
  return { cache, pass: (ms) => new Promise((resolve) => setTimeout(resolve, ms)) };
});

test('redis: while it is away nothing is found, nothing throws, and it is asked again after a rest', async (t) => {
  const server = await startRedis();
  const { pid } = server;
  assert.ok(pid);
  const clock = new FakeClock();
  const told: unknown[] = [];
  const cache = await openRedisAnswerCache({ url: server.url, clock, onAway: (error) => told.push(error) });
  t.after(() => cache.close());
  t.after(() => server.stop());
  await ready(cache, clock);
  const answer = { head: '{}', body: Buffer.from('kept') };
  await cache.put('org', 'key', answer, 60_000);
  assert.deepEqual(await cache.get('org', 'key'), answer);
  told.length = 0;
  process.kill(pid, 'SIGSTOP');
  const frozen = cache.get('org', 'key');
  clock.advance(51);
  assert.equal(await frozen, null);
  assert.equal(told.length, 1);
  // At rest: no command waits for the frozen server.
  assert.equal(await cache.get('org', 'key'), null);
  await cache.put('org', 'key', answer, 60_000);
  assert.equal(told.length, 1);
  process.kill(pid, 'SIGCONT');
  clock.advance(1_001);
  assert.deepEqual(await cache.get('org', 'key'), answer);
});

test('redis: who waited for it in vain already does not wait a second time', async (t) => {
  const server = await startRedis();
  t.after(() => server.stop());
  const clock = new FakeClock();
  let late = false;
  const cache = await openRedisAnswerCache({ url: server.url, clock, isLate: () => late });
  t.after(() => cache.close());
  await ready(cache, clock);
  const answer = { head: '{}', body: Buffer.from('kept') };
  await cache.put('org', 'key', answer, 60_000);
  late = true;
  assert.equal(await cache.get('org', 'key'), null);
  late = false;
  assert.deepEqual(await cache.get('org', 'key'), answer);
});

/** A connection is made in its own time; until then answers are absent. */
async function ready(cache: AnswerCache, clock?: FakeClock): Promise<void> {
  const probe = { head: 'probe', body: Buffer.alloc(1) };
  await eventually(async () => {
    await cache.put('probe', 'probe', probe, 60_000);
    if (await cache.get('probe', 'probe')) return true;
    clock?.advance(1_001);
    return undefined;
  });
}
