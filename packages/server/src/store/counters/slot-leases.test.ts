// Concurrency of several processes on one Redis: each is a `ResilientCounters` with a clock of its own, which a test
// can stop. Time of the store and of the processes moves together.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { Redis } from 'ioredis';
import { silentLog } from '../../core/log.ts';
import type { AcquireResult, BucketClaim } from '../store-interfaces.ts';
import { ManualClock } from '../test/manual-clock.ts';
import { startTestRedis } from '../test/redis-server.ts';
import { testLeaseClaim, testSettlement } from './counters.suite.ts';
import { openRedisCounters, type SharedStoreCounters } from './redis-counters.ts';
import { ResilientCounters } from './resilient-counters.ts';

const LIMIT = 4;
const TIMEOUT_MS = 1_000;
const CLAIMS = [testLeaseClaim('at-once', LIMIT)];

class Process {
  readonly clock: ManualClock;
  readonly open = new Map<string, AcquireResult>();
  readonly counters: ResilientCounters;
  readonly remote: SharedStoreCounters;
  readonly #orgId: string;

  constructor(orgId: string, remote: SharedStoreCounters, clock: ManualClock, rank: number) {
    this.#orgId = orgId;
    this.clock = clock;
    this.remote = remote;
    const place = () => ({ replicaCount: 2, rank });
    this.counters = new ResilientCounters({
      remote,
      clock,
      log: silentLog,
      replicaRank: place,
      timeoutMs: TIMEOUT_MS,
      refreshSpend: async () => undefined,
    });
  }

  async take(id: string, claims: readonly BucketClaim[] = CLAIMS, isFrozen = false): Promise<AcquireResult> {
    const taking = this.counters.acquire(this.#orgId, id, claims);
    if (isFrozen) this.clock.advance(TIMEOUT_MS);
    const taken = await taking;
    if (taken.refusedIndex === null) this.open.set(id, taken);
    return taken;
  }

  /** Starts exchanges until one is refused; how many were admitted. */
  async fill(): Promise<number> {
    for (let admitted = 0; ; admitted++)
      if ((await this.take(randomUUID())).refusedIndex !== null) return admitted;
  }

  async end(id: string): Promise<void> {
    const taken = this.open.get(id) ?? assert.fail(id);
    this.open.delete(id);
    await this.counters.settle(this.#orgId, testSettlement(id, taken, CLAIMS, [0]));
  }

  async used(): Promise<number> {
    return (await this.counters.peek(this.#orgId, CLAIMS))[0]?.used ?? Number.NaN;
  }
}

async function createHarness(t: TestContext, count = 2) {
  const url = await startTestRedis();
  const orgId = randomUUID();
  const admin = new Redis(url);
  let offset = 0;
  let frozen: PromiseWithResolvers<void> | null = null;
  const all: Process[] = [];
  for (let n = 0; n < count; n++) {
    const clock = new ManualClock();
    const remote = await openRedisCounters({ url, clock, offsetMs: () => offset });
    all.push(
      new Process(
        orgId,
        freezable(remote, () => frozen?.promise),
        clock,
        n,
      ),
    );
  }
  t.after(async () => {
    for (const { counters } of all) await counters.close();
    admin.disconnect();
  });
  const [one, other] = [all[0] ?? assert.fail(), all[1] ?? all[0] ?? assert.fail()];
  /** Half a second at a time for the store and these processes; what they sent meanwhile has been answered. */
  async function pass(ms: number, running: readonly Process[] = all): Promise<void> {
    for (let passed = 0; passed < ms; passed += 500) {
      offset += 500;
      for (const { clock } of running) clock.advance(500);
      // On each connection the answer to this comes after all others; what follows from one is sent before the next.
      for (let round = 0; round < 3; round++) {
        if (frozen === null) for (const each of running) await each.remote.ping();
        for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
      }
    }
  }
  return {
    orgId,
    admin,
    all,
    one,
    other,
    pass,
    freeze() {
      frozen = Promise.withResolvers();
    },
    thaw() {
      frozen?.resolve();
      frozen = null;
    },
  };
}

/** Calls made while the store is frozen are carried out when it is not any more, whoever still waits for them. */
function freezable(
  remote: SharedStoreCounters,
  frozen: () => Promise<void> | undefined,
): SharedStoreCounters {
  return {
    acquire: (...args) => (frozen() ?? Promise.resolve()).then(() => remote.acquire(...args)),
    settle: async (...args) => (frozen() ?? Promise.resolve()).then(() => remote.settle(...args)),
    peek: (...args) => (frozen() ?? Promise.resolve()).then(() => remote.peek(...args)),
    extend: async (...args) => (frozen() ?? Promise.resolve()).then(() => remote.extend(...args)),
    renew: (...args) => (frozen() ?? Promise.resolve()).then(() => remote.renew(...args)),
    recordStoredSpend: () => undefined,
    ping: () => (frozen() ?? Promise.resolve()).then(() => remote.ping()),
    close: () => remote.close(),
  };
}

test('slots are kept while their process renews its lease, for exchanges of any length', async (t) => {
  const { one, other, pass } = await createHarness(t);
  assert.equal(await one.fill(), LIMIT);
  await pass(10 * 60_000);
  assert.equal(await other.fill(), 0);
  const [first] = one.open.keys();
  await one.end(first ?? '');
  assert.equal(await other.fill(), 1);
});

test('the slots of a killed process are free after ten seconds, and the retry-after of each rejection says so at the latest', async (t) => {
  const { one, other, pass } = await createHarness(t);
  assert.equal(await one.fill(), LIMIT);
  await pass(3_000);
  const times: number[] = [];
  let passed = 0;
  for (;;) {
    const taken = await other.take('after');
    if (taken.refusedIndex === null) break;
    const waitMs = taken.retryAfterMs ?? assert.fail('how long to wait is known');
    assert.ok(waitMs >= 50 && passed + waitMs <= 10_500, `${waitMs} ms after ${passed}`);
    times.push(waitMs);
    const steps = Math.ceil(waitMs / 500) * 500;
    passed += steps;
    await pass(steps, [other]);
  }
  assert.ok(passed <= 10_500, `free after ${passed} ms`);
  assert.ok(times.length <= 8, `who waits as told asks a few times: ${times.join(', ')}`);
});

test('a process that stalls beyond its lease counts its open slots again before it admits requests', async (t) => {
  const { one, other, pass } = await createHarness(t);
  assert.equal(await one.fill(), LIMIT);
  await pass(11_000, [other]);
  assert.equal(await other.fill(), LIMIT, 'nobody can tell a stalled process from a dead one');
  assert.equal((await one.take('x')).refusedIndex, 0);
  assert.equal(await one.used(), 2 * LIMIT, 'its first step counts what it has open');
  for (const id of [...other.open.keys()]) await other.end(id);
  assert.equal(await other.fill(), 0, 'the other process sees them too');
  await one.end([...one.open.keys()][0] ?? '');
  assert.equal(await other.fill(), 1);
});

test('a process that stalled without new requests counts its open slots again at the next renewal', async (t) => {
  const { one, other, pass } = await createHarness(t);
  assert.equal(await one.fill(), LIMIT);
  await pass(12_000, [other]);
  assert.equal(await other.used(), 0);
  await pass(1_500);
  assert.equal(await other.used(), LIMIT);
});

test('a flushed store admits no more than the limit to a process with open slots', async (t) => {
  const { one, other, admin, pass } = await createHarness(t);
  assert.equal(await one.fill(), LIMIT);
  await admin.flushall();
  assert.equal(await one.fill(), 0);
  assert.equal(await other.fill(), 0);
  await admin.flushall();
  await pass(4_000);
  assert.equal(await other.fill(), 0, 'renewing counts again too');
});

test('a slot whose settlement was lost is released by later renewals', async (t) => {
  const { one, orgId, admin, pass } = await createHarness(t, 1);
  await one.take('a');
  const [key] = await admin.keys(`floe:{${orgId}}:at-once:slots:*`);
  // As a take that the store carried out and nobody ever settled.
  const [seconds] = await admin.time();
  await admin.zadd(key ?? assert.fail(), Number(seconds) * 1000, 'lost');
  assert.equal(await one.used(), 2);
  await pass(20_000);
  assert.equal(await one.used(), 1);
});

test('short leases, such as those of probes, expire after their own time', async (t) => {
  const { one, other, pass } = await createHarness(t);
  const probe = [testLeaseClaim('probe', 1, 3_000)];
  assert.equal((await one.take('probe', probe)).refusedIndex, null);
  await pass(10_000);
  assert.equal((await other.take('again', probe)).refusedIndex, 0, 'its process is at work');
  await pass(2_000, [other]);
  assert.equal((await other.take('again', probe)).refusedIndex, 0);
  await pass(1_500, [other]);
  assert.equal((await other.take('again', probe)).refusedIndex, null, 'its process died');
});

test('with known durations, the wait for a slot is the remaining time of the oldest exchange that is not overdue', async (t) => {
  const { one, other, pass } = await createHarness(t);
  for (let n = 0; n < 3; n++) {
    await one.take('warm');
    await pass(5_000);
    await one.end('warm');
  }
  for (const id of ['a', 'b', 'c', 'd']) {
    await one.take(id);
    await pass(1_000);
  }
  const taken = await one.take('e');
  const waitMs = taken.retryAfterMs ?? Number.NaN;
  assert.ok(waitMs > 0 && waitMs <= 1_500, `the first has run 4 s of 5: ${waitMs}`);
  const blind = (await other.take('f')).retryAfterMs ?? Number.NaN;
  assert.ok(blind > 0 && blind <= 10_001, `without durations of its own, at most the lease: ${blind}`);
});

test('if a store freezes beyond a lease, shares apply meanwhile, and the limit is never exceeded afterwards', async (t) => {
  const { one, other, pass, freeze, thaw } = await createHarness(t);
  await one.take('before');
  freeze();
  // What the store hears of late are these; of what follows it is never asked.
  const elsewhere = [testLeaseClaim('elsewhere', 100)];
  for (const id of ['x', 'y', 'z']) for (const each of [one, other]) await each.take(id, elsewhere, true);
  assert.equal(await one.fill(), LIMIT / 2 - 1);
  assert.equal(await other.fill(), LIMIT / 2);
  await pass(15_000);
  thaw();
  // One process notices at once, the other half a second later.
  await pass(1_000, [one]);
  assert.equal(one.counters.isStoreUnavailable, false);
  assert.equal(await one.fill(), 0, 'the store does not know yet what the other process has open');
  await pass(6_000);
  assert.equal(other.counters.isStoreUnavailable, false);
  assert.equal(await one.used(), LIMIT);
  assert.equal(await one.fill(), 0);
  assert.equal(await other.fill(), 0);
  await one.end('before');
  assert.equal(await other.fill(), 1, 'exact again');
});
