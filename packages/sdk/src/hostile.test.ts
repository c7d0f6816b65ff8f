import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { FakeUpstream } from '@floe/testkit/fake-upstream';
import { HOSTILE_CASES, type HostileCase, startHostileServer } from '@floe/testkit/hostile-server';
import { Floe } from './floe.ts';
import { createRuntime, type Runtime } from './runtime.ts';
import type { HeartbeatResult } from './send-with-retries.ts';

suite('a hostile server', { concurrency: 6, timeout: 60_000 }, () => {
  for (const hostile of HOSTILE_CASES) {
    test(`${hostile.name}: a beat ends with a result and never throws`, async (t) => {
      const { floe, server } = await against(hostile, t);
      check(hostile, await floe.heartbeat('job'), server);
    });

    test(`${hostile.name}: the job under watch keeps its value, its error and its time`, async (t) => {
      const { floe, server } = await against(hostile, t);
      assert.equal(
        floe.monitor('job', () => 42),
        42,
      );
      assert.equal(await floe.monitor('job', async () => 'later'), 'later');
      const mine = new Error('the job’s own');
      assert.throws(() => floe.monitor('job', () => thrown(mine)), mine);
      await assert.rejects(
        floe.monitor('job', async () => thrown(mine)),
        mine,
      );
      assert.equal(await floe.flush({ timeoutSeconds: 50 }), true);
      for (const { path } of server?.requests ?? []) assert.equal(path, '/api/monitoring/heartbeat');
    });

    test(`${hostile.name}: a loop tells onError, goes on, and stops when told`, async (t) => {
      const { floe, server } = await against(hostile, t);
      const { promise, resolve } = Promise.withResolvers<void>();
      const options = { everySeconds: 3600, keepAlive: true, onError: () => resolve() };
      const loop = floe.startHeartbeat('job', options);
      if (hostile.expect.ok) await until(() => loop.lastResult !== null);
      else await promise;
      assert.equal(loop.running, true);
      const result = loop.lastResult;
      assert.ok(result);
      check(hostile, result, server);
      await loop.stop();
      assert.equal(loop.running, false);
    });
  }
});

interface Cleanup {
  after(fn: () => unknown): void;
}

/** A client whose waits between attempts pass at once, and the server it talks to. */
async function against(
  hostile: HostileCase,
  t: Cleanup,
): Promise<{ floe: Floe; server: FakeUpstream | null }> {
  const server = hostile.steps === undefined ? null : await startHostileServer(hostile);
  if (server) t.after(() => server.close());
  const real = createRuntime();
  const around: Runtime = {
    ...real,
    random: () => 0,
    after: (ms, callback, keepsAlive) => real.after(ms === 1000 ? 0 : ms, callback, keepsAlive),
    log: () => undefined,
  };
  const baseUrl = server?.url ?? `http://${hostile.host}`;
  return {
    floe: new Floe({ apiKey: 'eis_test_key', baseUrl, timeoutSeconds: hostile.timeout_seconds }, around),
    server,
  };
}

function check(hostile: HostileCase, result: HeartbeatResult, server: FakeUpstream | null): void {
  const { expect } = hostile;
  assert.equal(result.ok, expect.ok, String(result.error));
  assert.equal(result.attempts, expect.attempts);
  assert.equal(result.error?.name, expect.class);
  assert.equal(result.error?.code, expect.code);
  if (!server) return;
  // On a busy machine a short attempt can be over before its request arrives.
  const arrived = server.requests.length;
  assert.ok(arrived === expect.attempts || (hostile.timeout_seconds < 1 && arrived < expect.attempts));
  for (const { path } of server.requests) assert.equal(path, '/api/monitoring/heartbeat');
  assert.equal(
    new Set(server.requests.map(({ headers }) => headers['idempotency-key'])).size,
    Math.min(1, arrived),
  );
}

function thrown(error: Error): never {
  throw error;
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}
