import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { openRedisClient } from './redis-client.ts';
import { startTestRedis } from './test/redis-server.ts';

const LIMIT_MS = 500;

test('a stall of this process does not break a connection whose responses have arrived', async (t) => {
  const client = await openRedisClient(await startTestRedis(), LIMIT_MS);
  t.after(() => client.disconnect());
  const errors: string[] = [];
  client.on('error', ({ message }: Error) => errors.push(message));
  await once(client, 'ready');
  for (let stalls = 0; stalls < 3; stalls++) {
    const answer = client.ping();
    await new Promise((resolve) => setImmediate(resolve));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LIMIT_MS * 2);
    assert.equal(await answer, 'PONG');
  }
  assert.deepEqual(errors, []);
});
