import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '@floe/testkit/eventually';
import { FakeClock } from '@floe/testkit/fake-clock';
import { startDedicatedRedis } from '@floe/testkit/redis';
import { systemClock } from '../../core/clock.ts';
import { startTestRedis } from '../test/redis-server.ts';
import { openRedisResponseCache } from './redis-response-cache.ts';
import { responseCacheSuite } from './response-cache.suite.ts';
import type { ResponseCache } from './response-cache.ts';

responseCacheSuite('redis', async (t) => {
  // What is kept is judged here, not how fast: nothing is late for a clock whose timers never ring.
  const clock = { ...systemClock, after: () => ({ cancel: () => undefined }) };
  const cache = await openRedisResponseCache({ url: await startTestRedis(), clock });
  t.after(() => cache.close());
  await ready(cache);
  // Redis has a clock of its own: its time cannot be injected, only waited for.
  return { cache, pass: (ms) => new Promise((resolve) => setTimeout(resolve, ms)) };
});

test('redis: while it is unavailable, nothing is found or thrown, and it is tried again after a pause', async (t) => {
  const server = await startDedicatedRedis();
  const { pid } = server;
  assert.ok(pid);
  const clock = new FakeClock();
  const told: unknown[] = [];
  const cache = await openRedisResponseCache({
    url: server.url,
    clock,
    onUnavailable: (error) => told.push(error),
  });
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

test('redis: a caller that waited in vain does not wait a second time', async (t) => {
  const server = await startDedicatedRedis();
  t.after(() => server.stop());
  const clock = new FakeClock();
  let late = false;
  const cache = await openRedisResponseCache({ url: server.url, clock, isStoreSlow: () => late });
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
async function ready(cache: ResponseCache, clock?: FakeClock): Promise<void> {
  const probe = { head: 'probe', body: Buffer.alloc(1) };
  await eventually(async () => {
    await cache.put('probe', 'probe', probe, 60_000);
    if (await cache.get('probe', 'probe')) return true;
    clock?.advance(1_001);
    return undefined;
  });
}
