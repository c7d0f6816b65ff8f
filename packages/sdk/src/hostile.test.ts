import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { startUpstream, type Upstream } from '@floe/testkit/upstream';
import cases from '../../testkit/golden/heartbeat/hostile.json' with { type: 'json' };
import { Floe } from './floe.ts';
import type { HeartbeatResult } from './send.ts';
import { realSurroundings, type Surroundings } from './surroundings.ts';

type Case = (typeof cases)[number];
interface Step {
  readonly write?: string | undefined;
  readonly times?: number | undefined;
  readonly silence?: boolean | undefined;
  readonly fin?: boolean | undefined;
  readonly reset?: boolean | undefined;
}

suite('a hostile server', { concurrency: 6, timeout: 60_000 }, () => {
  for (const hostile of cases) {
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
async function against(hostile: Case, t: Cleanup): Promise<{ floe: Floe; server: Upstream | null }> {
  const server = hostile.steps === undefined ? null : await play(hostile);
  if (server) t.after(() => server.close());
  const real = realSurroundings();
  const around: Surroundings = {
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

function play(hostile: Case): Promise<Upstream> {
  const plan = (steps: readonly Step[]) => ({
    name: hostile.name,
    does: hostile.does,
    times: Number.POSITIVE_INFINITY,
    plan: ({ origin }: { origin: string }) => steps.flatMap((step) => played(step, origin)),
  });
  const first = plan(hostile.steps ?? []);
  const faults =
    hostile.steps_after === undefined ? [first] : [{ ...first, times: 1 }, plan(hostile.steps_after)];
  return startUpstream({ script: [], faults });
}

type Played = { do: 'write'; bytes: Buffer } | { do: 'silence' } | { do: 'fin' } | { do: 'reset' };

function played(step: Step, origin: string): Played[] {
  if (step.silence) return [{ do: 'silence' }];
  if (step.fin) return [{ do: 'fin' }];
  if (step.reset) return [{ do: 'reset' }];
  const bytes = Buffer.from((step.write ?? '').replaceAll('<origin>', origin));
  return Array.from({ length: step.times ?? 1 }, () => ({ do: 'write', bytes }));
}

function check(hostile: Case, result: HeartbeatResult, server: Upstream | null): void {
  const { expect } = hostile;
  assert.equal(result.ok, expect.ok, String(result.error));
  assert.equal(result.attempts, expect.attempts);
  assert.equal(result.error?.name, expect.class);
  assert.equal(result.error?.code, expect.code);
  if (!server) return;
  assert.deepEqual(
    server.requests.map(({ path }) => path),
    Array.from({ length: expect.attempts }, () => '/api/monitoring/heartbeat'),
  );
  assert.equal(new Set(server.requests.map(({ headers }) => headers['idempotency-key'])).size, 1);
}

function thrown(error: Error): never {
  throw error;
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}
