import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Claim, Counters, Settlement, Taken } from '../ports.ts';

/** Counters under test, and their time. */
export interface CountersHouse {
  readonly counters: Counters;
  /** How much of the store's own time may pass between two calls of a test, in milliseconds. */
  readonly slackMs: number;
  /** Moves the store's own time forward. */
  advance(ms: number): Promise<void>;
}

const ORG = 'acme';

export function windowClaim(bucket: string, limit: number, amount = 1, more: Partial<Claim> = {}): Claim {
  return {
    kind: 'window',
    bucket,
    limit,
    amount,
    enforced: true,
    lasting: false,
    floor: 0,
    endsAt: 0,
    lastsMs: 0,
    away: 'local',
    ...more,
  };
}

export function leaseClaim(bucket: string, limit: number, lastsMs = 10_000): Claim {
  return { ...windowClaim(bucket, limit), kind: 'lease', lastsMs };
}

export function spendClaim(bucket: string, limit: number, amount: number, more: Partial<Claim> = {}): Claim {
  return { ...windowClaim(bucket, limit, amount), kind: 'spend', ...more };
}

export function settlement(
  id: string,
  taken: Taken,
  claims: readonly Claim[],
  actual: readonly number[],
): Settlement {
  return {
    id,
    second: taken.second,
    away: taken.away,
    ownSecond: taken.ownSecond,
    claims,
    amounts: taken.amounts,
    actual,
  };
}

/** What every store of counters must do. `open` gives empty counters that are closed when the test ends. */
export function countersSuite(store: string, open: (t: TestContext) => Promise<CountersHouse>): void {
  test(`${store}: a window admits its limit in any 60 seconds and says exactly when there is room again`, async (t) => {
    const { counters, advance, slackMs } = await open(t);
    const claims = [windowClaim('rpm', 3)];
    for (const id of ['a', 'b', 'c'])
      assert.equal((await counters.take(ORG, id, claims)).refused, null, `${id} is admitted`);
    const refused = await counters.take(ORG, 'd', claims);
    assert.equal(refused.refused, 0);
    assert.deepEqual(refused.amounts, [0]);
    assert.equal(refused.levels[0]?.used, 3);
    const wait = refused.retryAfterMs ?? 0;
    assert.ok(wait > 59_000 && wait <= 61_000, `between 59 and 61 s: ${wait}`);
    await advance(wait - slackMs);
    assert.equal((await counters.take(ORG, 'e', claims)).refused, 0, 'a moment before');
    await advance(slackMs);
    assert.equal((await counters.take(ORG, 'f', claims)).refused, null, 'when it said');
  });

  test(`${store}: of several claims all are granted or none, and a refusal leaves no trace`, async (t) => {
    const { counters } = await open(t);
    const wide = windowClaim('wide', 10);
    const narrow = windowClaim('narrow', 1);
    const lease = leaseClaim('at-once', 5);
    assert.equal((await counters.take(ORG, 'a', [wide, narrow, lease])).refused, null);
    const second = await counters.take(ORG, 'b', [wide, narrow, lease]);
    assert.equal(second.refused, 1);
    const levels = await counters.peek(ORG, [wide, narrow, lease]);
    assert.deepEqual(
      levels.map(({ used }) => used),
      [1, 1, 1],
    );
  });

  test(`${store}: a budget that refuses gives everything back but what is lasting`, async (t) => {
    const { counters } = await open(t);
    const claims = [
      windowClaim('rpm', 10, 1, { lasting: true }),
      windowClaim('tpm', 1000, 100),
      leaseClaim('at-once', 5),
      spendClaim('budget', 50, 60),
    ];
    const taken = await counters.take(ORG, 'a', claims);
    assert.equal(taken.refused, 3);
    assert.equal(taken.retryAfterMs, null);
    assert.deepEqual(taken.amounts, [1, 0, 0, 0]);
    assert.deepEqual(
      taken.levels.map(({ used }) => used),
      [1, 0, 0, 0],
    );
  });

  test(`${store}: a rate is told before a budget, and then nothing is taken`, async (t) => {
    const { counters } = await open(t);
    const claims = [spendClaim('budget', 5, 6), windowClaim('rpm', 1, 1, { lasting: true })];
    assert.equal((await counters.take(ORG, 'a', claims)).refused, 0);
    const taken = await counters.take(ORG, 'b', claims);
    assert.equal(taken.refused, 1);
    assert.deepEqual(taken.amounts, [0, 0]);
  });

  test(`${store}: what was reserved is settled in the slot it was reserved in`, async (t) => {
    const { counters, advance } = await open(t);
    const claims = [windowClaim('tpm', 1000, 800)];
    const taken = await counters.take(ORG, 'a', claims);
    await advance(30_000);
    await counters.settle(ORG, settlement('a', taken, claims, [300]));
    const after = await counters.take(ORG, 'b', [windowClaim('tpm', 1000, 700)]);
    assert.equal(after.refused, null);
    assert.equal(after.levels[0]?.used, 1000);
    await advance(31_000);
    const [left] = await counters.peek(ORG, claims);
    assert.equal(left?.used, 700, 'the first slot left whole, with what was settled in it');
  });

  test(`${store}: more than was reserved counts too, and beyond the limit`, async (t) => {
    const { counters } = await open(t);
    const claims = [windowClaim('tpm', 1000, 800)];
    const taken = await counters.take(ORG, 'a', claims);
    await counters.settle(ORG, settlement('a', taken, claims, [1500]));
    const after = await counters.take(ORG, 'b', [windowClaim('tpm', 1000, 1)]);
    assert.equal(after.refused, 0);
    assert.equal(after.levels[0]?.used, 1500);
  });

  test(`${store}: a settlement later than the window changes nothing`, async (t) => {
    const { counters, advance } = await open(t);
    const claims = [windowClaim('tpm', 1000, 800)];
    const taken = await counters.take(ORG, 'a', claims);
    await advance(62_000);
    await counters.settle(ORG, settlement('a', taken, claims, [300]));
    assert.equal((await counters.peek(ORG, claims))[0]?.used, 0);
  });

  test(`${store}: slots are released when they are settled, and never before`, async (t) => {
    const { counters } = await open(t);
    const claims = [leaseClaim('at-once', 2)];
    const first = await counters.take(ORG, 'a', claims);
    await counters.take(ORG, 'b', claims);
    assert.equal((await counters.take(ORG, 'c', claims)).refused, 0);
    await counters.settle(ORG, settlement('c', first, claims, [0]));
    assert.equal((await counters.take(ORG, 'd', claims)).refused, 0, 'one that was refused held no slot');
    await counters.settle(ORG, settlement('a', first, claims, [0]));
    await counters.settle(ORG, settlement('a', first, claims, [0]));
    assert.equal((await counters.take(ORG, 'e', claims)).refused, null);
    assert.equal((await counters.take(ORG, 'f', claims)).refused, 0);
    assert.equal((await counters.peek(ORG, claims))[0]?.used, 2);
  });

  test(`${store}: a spend holds the estimate and keeps the truth; settled once is settled`, async (t) => {
    const { counters } = await open(t);
    const claims = [spendClaim('month', 100, 40)];
    const first = await counters.take(ORG, 'a', claims);
    const second = await counters.take(ORG, 'b', claims);
    assert.equal(second.levels[0]?.used, 80);
    assert.equal((await counters.take(ORG, 'c', claims)).refused, 0);
    await counters.settle(ORG, settlement('a', first, claims, [10]));
    assert.equal((await counters.peek(ORG, claims))[0]?.used, 50);
    await counters.settle(ORG, settlement('b', second, claims, [70]));
    assert.equal((await counters.peek(ORG, claims))[0]?.used, 80);
  });

  test(`${store}: a budget with room that is only reserved says when to try again, a spent one does not`, async (t) => {
    const { counters, advance, slackMs } = await open(t);
    const claims = [spendClaim('month', 100, 40)];
    const first = await counters.take(ORG, 'a', claims);
    await counters.take(ORG, 'b', claims);
    const early = await counters.take(ORG, 'c', claims);
    assert.equal(early.refused, 0);
    assert.equal(early.retryAfterMs, 1_000, 'nothing is known yet of how long reservations last');
    await advance(4_000);
    await counters.settle(ORG, settlement('a', first, claims, [10]));
    await counters.take(ORG, 'd', claims);
    await advance(1_000);
    const wait = (await counters.take(ORG, 'e', claims)).retryAfterMs ?? 0;
    assert.ok(Math.abs(wait - 3_000) <= slackMs, `one that lasts 4 s has lasted 1 s: ${wait}`);
    const spent = spendClaim('spent', 100, 40, { floor: 70 });
    const both = await counters.take(ORG, 'f', [...claims, spent]);
    assert.deepEqual([both.refused, both.retryAfterMs], [1, null], 'the spent one is told');
    assert.equal((await counters.take(ORG, 'g', [spendClaim('month', 100, 95)])).retryAfterMs, null);
  });

  test(`${store}: a reservation is extended by as much as every budget has room for`, async (t) => {
    const { counters } = await open(t);
    const claims = [
      spendClaim('wide', 1_000, 40),
      spendClaim('narrow', 100, 40),
      spendClaim('soft', 1, 40, { enforced: false }),
    ];
    const taken = await counters.take(ORG, 'a', claims);
    const extend = (held: number, amount: number) =>
      counters.extend(ORG, { id: 'a', away: taken.away, claims, held, amount });
    assert.deepEqual(await extend(40, 20), { granted: 20, short: null, away: false });
    await counters.take(ORG, 'b', [spendClaim('narrow', 100, 30)]);
    assert.deepEqual(await extend(60, 50), { granted: 10, short: 1, away: false });
    assert.deepEqual(await extend(70, 50), { granted: 0, short: 1, away: false });
    const standing = (of: 'used' | 'held') => async () =>
      (await counters.peek(ORG, claims)).map((level) => level[of]);
    const [used, held] = [standing('used'), standing('held')];
    assert.deepEqual(
      [await used(), await held()],
      [
        [70, 100, 70],
        [70, 100, 70],
      ],
    );
    await counters.settle(ORG, settlement('a', taken, claims, [65, 65, 65]));
    assert.deepEqual(await used(), [65, 95, 65], 'settling puts the truth in place of all of it');
    assert.deepEqual(await held(), [0, 30, 0]);
  });

  test(`${store}: extensions at the same time never exceed the budget together`, async (t) => {
    const { counters } = await open(t);
    const claims = [spendClaim('month', 1_000, 1)];
    const ids = Array.from({ length: 50 }, (_, n) => `x${n}`);
    for (const id of ids) await counters.take(ORG, id, claims);
    const all = ids.map((id) => counters.extend(ORG, { id, away: false, claims, held: 1, amount: 37 }));
    const granted = (await Promise.all(all)).reduce((sum, one) => sum + one.granted, 0);
    assert.equal(granted, 950);
    assert.equal((await counters.peek(ORG, claims))[0]?.used, 1_000);
  });

  test(`${store}: what the database knows to be spent counts, once`, async (t) => {
    const { counters } = await open(t);
    const lost = await counters.take(ORG, 'a', [spendClaim('month', 100, 40, { floor: 70 })]);
    assert.equal(lost.refused, 0);
    assert.equal(lost.levels[0]?.used, 70);
    const claims = [spendClaim('month', 100, 20, { floor: 70 })];
    const taken = await counters.take(ORG, 'b', claims);
    await counters.settle(ORG, settlement('b', taken, claims, [20]));
    const [level] = await counters.peek(ORG, [spendClaim('month', 100, 0, { floor: 90 })]);
    assert.equal(level?.used, 90, 'the database has heard of it by now');
  });

  test(`${store}: a budget that only warns counts and never refuses`, async (t) => {
    const { counters } = await open(t);
    const claims = [spendClaim('soft', 10, 100, { enforced: false })];
    const taken = await counters.take(ORG, 'a', claims);
    assert.equal(taken.refused, null);
    await counters.settle(ORG, settlement('a', taken, claims, [100]));
    assert.equal((await counters.take(ORG, 'b', claims)).levels[0]?.used, 200);
  });

  test(`${store}: amounts of nine million dollars in nano-USD stay exact`, async (t) => {
    const { counters } = await open(t);
    const huge = 9_000_000_000_000_001;
    const claims = [spendClaim('huge', Number.MAX_SAFE_INTEGER, 1, { floor: huge })];
    const taken = await counters.take(ORG, 'a', claims);
    assert.equal(taken.levels[0]?.used, huge + 1);
    await counters.settle(ORG, settlement('a', taken, claims, [3]));
    assert.equal((await counters.peek(ORG, claims))[0]?.used, huge + 3);
  });

  test(`${store}: buckets of one name in two orgs are two`, async (t) => {
    const { counters } = await open(t);
    const claims = [windowClaim('rpm', 1)];
    assert.equal((await counters.take(ORG, 'a', claims)).refused, null);
    assert.equal((await counters.take('other', 'b', claims)).refused, null);
    assert.equal((await counters.take('other', 'c', claims)).refused, 0);
  });

  test(`${store}: 200 takes at once on a window of 50 admit 50`, async (t) => {
    const { counters } = await open(t);
    const claims = [windowClaim('rpm', 50), leaseClaim('at-once', 1000)];
    const all = await Promise.all(Array.from({ length: 200 }, (_, n) => counters.take(ORG, `x${n}`, claims)));
    assert.equal(all.filter(({ refused }) => refused === null).length, 50);
    assert.equal((await counters.peek(ORG, claims))[1]?.used, 50);
  });
}
