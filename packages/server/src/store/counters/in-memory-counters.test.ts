import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogSpy } from '../test/log-spy.ts';
import { ManualClock } from '../test/manual-clock.ts';
import {
  countersSuite,
  testLeaseClaim,
  testSettlement,
  testSpendClaim,
  testWindowClaim,
} from './counters.suite.ts';
import { InMemoryCounters, PROBE_BUCKET_PREFIX } from './in-memory-counters.ts';

countersSuite('memory', async () => {
  const clock = new ManualClock();
  return {
    slackMs: 1,
    counters: new InMemoryCounters(clock),
    advance: async (ms) => clock.advance(ms),
  };
});

test('a second reservation with the same id replaces the first', async () => {
  const counters = new InMemoryCounters(new ManualClock());
  counters.acquire('acme', 'a', [testSpendClaim('month', 1_000, 400)]);
  const claims = [testSpendClaim('month', 1_000, 100)];
  const second = counters.acquire('acme', 'a', claims);
  const read = async () =>
    (await counters.peek('acme', claims)).map(({ used, reserved }) => [used, reserved]);
  assert.deepEqual(await read(), [[100, 100]]);
  counters.settle('acme', testSettlement('a', second, claims, [70]));
  assert.deepEqual(await read(), [[70, 0]]);
});

/** The claims of a request of an end user. */
function claimsOf(user: string | number, spend: Parameters<typeof testSpendClaim>[3] = {}) {
  return [
    testWindowClaim(`r:limit:${user}`, 10, 1, { persistent: true }),
    testWindowClaim(`t:limit:${user}`, 1_000, 100),
    testLeaseClaim(`c:limit:${user}`, 5),
    testSpendClaim(`b:all:total:ever:${user}`, 1_000, 100, spend),
  ];
}

test('counters of end users who do not return are removed, also those of budgets that never reset', () => {
  const clock = new ManualClock();
  const counters = new InMemoryCounters(clock);
  const sizes: number[] = [];
  for (let user = 0; user < 20_000; user++) {
    const claims = claimsOf(user);
    const acquired = counters.acquire('acme', `exc_${user}`, claims);
    counters.settle('acme', testSettlement(`exc_${user}`, acquired, claims, [1, 80, 0, 60]));
    counters.recordStoredSpend([{ orgId: 'acme', bucket: `b:all:total:ever:${user}`, afterNanoUsd: 60 }]);
    clock.advance(50);
    if (user % 5_000 === 4_999) sizes.push(counters.size);
  }
  // 20 users per second, four buckets each, for a minute, and twice as many until all are checked.
  for (const size of sizes) assert.ok(size <= 2 * 4 * 20 * 62, `${sizes}`);
});

test('a counter of a budget is kept until the database has its spending', () => {
  const clock = new ManualClock();
  const counters = new InMemoryCounters(clock);
  const claims = [testSpendClaim('b:all:total:ever:ana', 1_000, 100)];
  const other = [testWindowClaim('other', 1_000)];
  const spend = (id: string) => {
    const acquired = counters.acquire('acme', id, claims);
    counters.settle('acme', testSettlement(id, acquired, claims, [600]));
    return acquired.refusedIndex;
  };
  const wait = () => {
    clock.advance(120_000);
    for (let n = 0; n < 10; n++) counters.acquire('acme', `other ${n}`, other);
  };
  assert.equal(spend('a'), null);
  wait();
  const { levels, refusedIndex } = counters.acquire('acme', 'b', [
    testSpendClaim('b:all:total:ever:ana', 1_000, 500),
  ]);
  assert.deepEqual([levels[0]?.used, refusedIndex], [600, 0], 'the database does not have the amount yet');
  clock.advance(120_000);
  counters.recordStoredSpend([{ orgId: 'acme', bucket: 'b:all:total:ever:ana', afterNanoUsd: 600 }]);
  clock.advance(1_000);
  for (let n = 0; n < 10; n++) counters.acquire('acme', `other ${n}`, other);
  assert.equal(
    counters.acquire(
      'acme',
      'c',
      claims.map((claim) => ({ ...claim, amount: 500 })),
    ).refusedIndex,
    0,
    'other processes may not have read the amount yet',
  );
  wait();
  assert.equal(counters.size, 1);
});

test('an organization with too many counters gets no new ones, and others are not affected', () => {
  const clock = new ManualClock();
  const log = createLogSpy();
  const counters = new InMemoryCounters(clock, { log, maxBucketsPerOrg: 40 });
  const acquire = (org: string, user: string, spend = {}) =>
    counters.acquire(org, `${org} ${user}`, claimsOf(user, spend));
  for (let user = 0; user < 10; user++) assert.equal(acquire('acme', `${user}`).refusedIndex, null);
  const refused = acquire('acme', 'one more');
  assert.deepEqual([refused.refusedIndex, refused.isTableFull, refused.retryAfterMs], [0, true, 1_000]);
  assert.equal(counters.size, 40);
  assert.deepEqual(
    log.lines.map(({ fields }) => 'orgId' in fields && fields.orgId),
    ['acme'],
    'reported once a minute',
  );
  const probe = counters.acquire('acme', 'probe_1', [testLeaseClaim(`${PROBE_BUCKET_PREFIX}x`, 1)]);
  assert.equal(probe.refusedIndex, null, 'breakers continue to test their targets');
  assert.equal(acquire('acme', '3').refusedIndex, null, 'known counters continue to work');
  assert.equal(acquire('other', 'one more').refusedIndex, null);
  const soft = [testSpendClaim('b:soft:total:ever:new', 1_000, 100, { enforced: false })];
  const acquired = counters.acquire('acme', 'soft', soft);
  assert.deepEqual([acquired.refusedIndex, acquired.amounts], [null, [100]], 'a soft budget rejects nothing');
  counters.settle('acme', testSettlement('soft', acquired, soft, [70]));
  const slot = { ...testLeaseClaim('c:limit:new', 5), enforced: false };
  counters.acquire('acme', 'slot', [slot]);
  assert.equal(
    counters.getSlots('acme', 'c:limit:new')?.size,
    1,
    'slots of running exchanges are always counted',
  );
});
