import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { TaskLimitExceededError, ThreadPool } from './thread-pool.ts';

test('a task does not wait indefinitely for a thread that does not start', async () => {
  const timers = new Map<number, () => void>();
  const clock = {
    after(ms: number, callback: () => void) {
      timers.set(ms, callback);
      return { cancel: () => undefined };
    },
  };
  const pool = new ThreadPool({
    entry: new URL('data:text/javascript,setInterval(() => undefined, 1000)'),
    name: 'tasks',
    ...{ maxThreads: 1, maxRunningPerTenant: 1, maxQueuedPerTenant: 1, maxHeapMb: 64 },
    ...{ taskTimeoutMs: 10, idleTimeoutMs: 20 },
    clock,
  });
  const late = assert.rejects(pool.run('acme', {}), TaskLimitExceededError);
  await setImmediate();
  assert.ok(!timers.has(10), 'the time of the task has not started');
  timers.get(120_000)?.();
  await late;
  await pool.close();
});
