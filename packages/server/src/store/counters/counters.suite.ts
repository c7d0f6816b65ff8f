import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type {
  AcquireResult,
  BucketClaim,
  LimitCounters,
  ReservationSettlement,
} from '../store-interfaces.ts';

/** The counters under test, and control over their time. */
export interface CountersHarness {
  readonly counters: LimitCounters;
  /** How much time of the store may pass between two calls of a test, in milliseconds. */
  readonly slackMs: number;
  /** Advances the time of the store. */
  advance(ms: number): Promise<void>;
}

const ORG = 'acme';

export function testWindowClaim(
  bucket: string,
  limit: number,
  amount = 1,
  more: Partial<BucketClaim> = {},
): BucketClaim {
  return {
    kind: 'window',
    bucket,
    limit,
    amount,
    enforced: true,
    persistent: false,
    minimumUsed: 0,
    endsAt: 0,
    ttlMs: 0,
    outageMode: 'local',
    ...more,
  };
}

export function testLeaseClaim(bucket: string, limit: number, lastsMs = 10_000): BucketClaim {
  return { ...testWindowClaim(bucket, limit), kind: 'lease', ttlMs: lastsMs };
}

export function testSpendClaim(
  bucket: string,
  limit: number,
  amount: number,
  more: Partial<BucketClaim> = {},
): BucketClaim {
  return { ...testWindowClaim(bucket, limit, amount), kind: 'spend', ...more };
}

export function testSettlement(
  id: string,
  taken: AcquireResult,
  claims: readonly BucketClaim[],
  actual: readonly number[],
): ReservationSettlement {
  return {
    id,
    second: taken.second,
    countedLocally: taken.countedLocally,
    localSecond: taken.localSecond,
    claims,
    amounts: taken.amounts,
    actual,
  };
}

/**
 * Tests that every implementation of counters must pass. `open` creates empty counters that are
 * closed when the test ends.
 */
export function countersSuite(store: string, open: (t: TestContext) => Promise<CountersHarness>): void {
  test(`${store}: a window admits its limit in any 60 seconds and states exactly when the next request is admitted`, async (t) => {
    const { counters, advance, slackMs } = await open(t);
    const claims = [testWindowClaim('rpm', 3)];
    for (const id of ['a', 'b', 'c'])
      assert.equal((await counters.acquire(ORG, id, claims)).refusedIndex, null, `${id} is admitted`);
    const refused = await counters.acquire(ORG, 'd', claims);
    assert.equal(refused.refusedIndex, 0);
    assert.deepEqual(refused.amounts, [0]);
    assert.equal(refused.levels[0]?.used, 3);
    const wait = refused.retryAfterMs ?? 0;
    assert.ok(wait > 59_000 && wait <= 61_000, `between 59 and 61 s: ${wait}`);
    await advance(wait - slackMs);
    assert.equal((await counters.acquire(ORG, 'e', claims)).refusedIndex, 0, 'a moment before');
    await advance(slackMs);
    assert.equal((await counters.acquire(ORG, 'f', claims)).refusedIndex, null, 'when it said');
  });

  test(`${store}: all claims are granted or none, and a rejection leaves no trace`, async (t) => {
    const { counters } = await open(t);
    const wide = testWindowClaim('wide', 10);
    const narrow = testWindowClaim('narrow', 1);
    const lease = testLeaseClaim('at-once', 5);
    assert.equal((await counters.acquire(ORG, 'a', [wide, narrow, lease])).refusedIndex, null);
    const second = await counters.acquire(ORG, 'b', [wide, narrow, lease]);
    assert.equal(second.refusedIndex, 1);
    const levels = await counters.peek(ORG, [wide, narrow, lease]);
    assert.deepEqual(
      levels.map(({ used }) => used),
      [1, 1, 1],
    );
  });

  test(`${store}: a budget that rejects returns all other claims except persistent ones`, async (t) => {
    const { counters } = await open(t);
    const claims = [
      testWindowClaim('rpm', 10, 1, { persistent: true }),
      testWindowClaim('tpm', 1000, 100),
      testLeaseClaim('at-once', 5),
      testSpendClaim('budget', 50, 60),
    ];
    const taken = await counters.acquire(ORG, 'a', claims);
    assert.equal(taken.refusedIndex, 3);
    assert.equal(taken.retryAfterMs, null);
    assert.deepEqual(taken.amounts, [1, 0, 0, 0]);
    assert.deepEqual(
      taken.levels.map(({ used }) => used),
      [1, 0, 0, 0],
    );
  });

  test(`${store}: a rate limit is reported before a budget, and then nothing is reserved`, async (t) => {
    const { counters } = await open(t);
    const claims = [testSpendClaim('budget', 5, 6), testWindowClaim('rpm', 1, 1, { persistent: true })];
    assert.equal((await counters.acquire(ORG, 'a', claims)).refusedIndex, 0);
    const taken = await counters.acquire(ORG, 'b', claims);
    assert.equal(taken.refusedIndex, 1);
    assert.deepEqual(taken.amounts, [0, 0]);
  });

  test(`${store}: a reservation is settled in its own time slot`, async (t) => {
    const { counters, advance } = await open(t);
    const claims = [testWindowClaim('tpm', 1000, 800)];
    const taken = await counters.acquire(ORG, 'a', claims);
    await advance(30_000);
    await counters.settle(ORG, testSettlement('a', taken, claims, [300]));
    const after = await counters.acquire(ORG, 'b', [testWindowClaim('tpm', 1000, 700)]);
    assert.equal(after.refusedIndex, null);
    assert.equal(after.levels[0]?.used, 1000);
    await advance(31_000);
    const [left] = await counters.peek(ORG, claims);
    assert.equal(left?.used, 700, 'the first slot left whole, with what was settled in it');
  });

  test(`${store}: usage above the reservation counts too, even above the limit`, async (t) => {
    const { counters } = await open(t);
    const claims = [testWindowClaim('tpm', 1000, 800)];
    const taken = await counters.acquire(ORG, 'a', claims);
    await counters.settle(ORG, testSettlement('a', taken, claims, [1500]));
    const after = await counters.acquire(ORG, 'b', [testWindowClaim('tpm', 1000, 1)]);
    assert.equal(after.refusedIndex, 0);
    assert.equal(after.levels[0]?.used, 1500);
  });

  test(`${store}: a settlement after the window changes nothing`, async (t) => {
    const { counters, advance } = await open(t);
    const claims = [testWindowClaim('tpm', 1000, 800)];
    const taken = await counters.acquire(ORG, 'a', claims);
    await advance(62_000);
    await counters.settle(ORG, testSettlement('a', taken, claims, [300]));
    assert.equal((await counters.peek(ORG, claims))[0]?.used, 0);
  });

  test(`${store}: slots are released when they are settled, and not before`, async (t) => {
    const { counters } = await open(t);
    const claims = [testLeaseClaim('at-once', 2)];
    const first = await counters.acquire(ORG, 'a', claims);
    await counters.acquire(ORG, 'b', claims);
    assert.equal((await counters.acquire(ORG, 'c', claims)).refusedIndex, 0);
    await counters.settle(ORG, testSettlement('c', first, claims, [0]));
    assert.equal(
      (await counters.acquire(ORG, 'd', claims)).refusedIndex,
      0,
      'one that was refused held no slot',
    );
    await counters.settle(ORG, testSettlement('a', first, claims, [0]));
    await counters.settle(ORG, testSettlement('a', first, claims, [0]));
    assert.equal((await counters.acquire(ORG, 'e', claims)).refusedIndex, null);
    assert.equal((await counters.acquire(ORG, 'f', claims)).refusedIndex, 0);
    assert.equal((await counters.peek(ORG, claims))[0]?.used, 2);
  });

  test(`${store}: a budget reserves the estimate and counts the actual cost once`, async (t) => {
    const { counters } = await open(t);
    const claims = [testSpendClaim('month', 100, 40)];
    const first = await counters.acquire(ORG, 'a', claims);
    const second = await counters.acquire(ORG, 'b', claims);
    assert.equal(second.levels[0]?.used, 80);
    assert.equal((await counters.acquire(ORG, 'c', claims)).refusedIndex, 0);
    await counters.settle(ORG, testSettlement('a', first, claims, [10]));
    assert.equal((await counters.peek(ORG, claims))[0]?.used, 50);
    await counters.settle(ORG, testSettlement('b', second, claims, [70]));
    assert.equal((await counters.peek(ORG, claims))[0]?.used, 80);
  });

  test(`${store}: a fully reserved budget states when to retry, and a spent one does not`, async (t) => {
    const { counters, advance, slackMs } = await open(t);
    const claims = [testSpendClaim('month', 100, 40)];
    const first = await counters.acquire(ORG, 'a', claims);
    await counters.acquire(ORG, 'b', claims);
    const early = await counters.acquire(ORG, 'c', claims);
    assert.equal(early.refusedIndex, 0);
    assert.equal(early.retryAfterMs, 1_000, 'nothing is known yet of how long reservations last');
    await advance(4_000);
    await counters.settle(ORG, testSettlement('a', first, claims, [10]));
    await counters.acquire(ORG, 'd', claims);
    await advance(1_000);
    const wait = (await counters.acquire(ORG, 'e', claims)).retryAfterMs ?? 0;
    assert.ok(Math.abs(wait - 3_000) <= slackMs, `one that lasts 4 s has lasted 1 s: ${wait}`);
    const spent = testSpendClaim('spent', 100, 40, { minimumUsed: 70 });
    const both = await counters.acquire(ORG, 'f', [...claims, spent]);
    assert.deepEqual([both.refusedIndex, both.retryAfterMs], [1, null], 'the spent one is told');
    assert.equal((await counters.acquire(ORG, 'g', [testSpendClaim('month', 100, 95)])).retryAfterMs, null);
  });

  test(`${store}: a reservation is extended by the amount that every budget has left`, async (t) => {
    const { counters } = await open(t);
    const claims = [
      testSpendClaim('wide', 1_000, 40),
      testSpendClaim('narrow', 100, 40),
      testSpendClaim('soft', 1, 40, { enforced: false }),
    ];
    const taken = await counters.acquire(ORG, 'a', claims);
    const extend = (held: number, amount: number) =>
      counters.extend(ORG, { id: 'a', countedLocally: taken.countedLocally, claims, reserved: held, amount });
    assert.deepEqual(await extend(40, 20), { granted: 20, limitingIndex: null, countedLocally: false });
    await counters.acquire(ORG, 'b', [testSpendClaim('narrow', 100, 30)]);
    assert.deepEqual(await extend(60, 50), { granted: 10, limitingIndex: 1, countedLocally: false });
    assert.deepEqual(await extend(70, 50), { granted: 0, limitingIndex: 1, countedLocally: false });
    const standing = (of: 'used' | 'reserved') => async () =>
      (await counters.peek(ORG, claims)).map((level) => level[of]);
    const [used, held] = [standing('used'), standing('reserved')];
    assert.deepEqual(
      [await used(), await held()],
      [
        [70, 100, 70],
        [70, 100, 70],
      ],
    );
    await counters.settle(ORG, testSettlement('a', taken, claims, [65, 65, 65]));
    assert.deepEqual(await used(), [65, 95, 65], 'settling puts the truth in place of all of it');
    assert.deepEqual(await held(), [0, 30, 0]);
  });

  test(`${store}: simultaneous extensions never exceed the budget together`, async (t) => {
    const { counters } = await open(t);
    const claims = [testSpendClaim('month', 1_000, 1)];
    const ids = Array.from({ length: 50 }, (_, n) => `x${n}`);
    for (const id of ids) await counters.acquire(ORG, id, claims);
    const all = ids.map((id) =>
      counters.extend(ORG, { id, countedLocally: false, claims, reserved: 1, amount: 37 }),
    );
    const granted = (await Promise.all(all)).reduce((sum, one) => sum + one.granted, 0);
    assert.equal(granted, 950);
    assert.equal((await counters.peek(ORG, claims))[0]?.used, 1_000);
  });

  test(`${store}: spending in the database counts once`, async (t) => {
    const { counters } = await open(t);
    const lost = await counters.acquire(ORG, 'a', [testSpendClaim('month', 100, 40, { minimumUsed: 70 })]);
    assert.equal(lost.refusedIndex, 0);
    assert.equal(lost.levels[0]?.used, 70);
    const claims = [testSpendClaim('month', 100, 20, { minimumUsed: 70 })];
    const taken = await counters.acquire(ORG, 'b', claims);
    await counters.settle(ORG, testSettlement('b', taken, claims, [20]));
    const [level] = await counters.peek(ORG, [testSpendClaim('month', 100, 0, { minimumUsed: 90 })]);
    assert.equal(level?.used, 90, 'the database has heard of it by now');
  });

  test(`${store}: a soft budget counts and never rejects`, async (t) => {
    const { counters } = await open(t);
    const claims = [testSpendClaim('soft', 10, 100, { enforced: false })];
    const taken = await counters.acquire(ORG, 'a', claims);
    assert.equal(taken.refusedIndex, null);
    await counters.settle(ORG, testSettlement('a', taken, claims, [100]));
    assert.equal((await counters.acquire(ORG, 'b', claims)).levels[0]?.used, 200);
  });

  test(`${store}: amounts of nine million dollars in nano-USD are exact`, async (t) => {
    const { counters } = await open(t);
    const huge = 9_000_000_000_000_001;
    const claims = [testSpendClaim('huge', Number.MAX_SAFE_INTEGER, 1, { minimumUsed: huge })];
    const taken = await counters.acquire(ORG, 'a', claims);
    assert.equal(taken.levels[0]?.used, huge + 1);
    await counters.settle(ORG, testSettlement('a', taken, claims, [3]));
    assert.equal((await counters.peek(ORG, claims))[0]?.used, huge + 3);
  });

  test(`${store}: buckets with the same name in two organizations are separate`, async (t) => {
    const { counters } = await open(t);
    const claims = [testWindowClaim('rpm', 1)];
    assert.equal((await counters.acquire(ORG, 'a', claims)).refusedIndex, null);
    assert.equal((await counters.acquire('other', 'b', claims)).refusedIndex, null);
    assert.equal((await counters.acquire('other', 'c', claims)).refusedIndex, 0);
  });

  test(`${store}: 200 simultaneous claims on a window of 50 admit 50`, async (t) => {
    const { counters } = await open(t);
    const claims = [testWindowClaim('rpm', 50), testLeaseClaim('at-once', 1000)];
    const all = await Promise.all(
      Array.from({ length: 200 }, (_, n) => counters.acquire(ORG, `x${n}`, claims)),
    );
    assert.equal(all.filter(({ refusedIndex }) => refusedIndex === null).length, 50);
    assert.equal((await counters.peek(ORG, claims))[1]?.used, 50);
  });
}
