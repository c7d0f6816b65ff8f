import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AcquireResult, BucketClaim, ReservationSettlement } from '../store-interfaces.ts';
import { createLogSpy } from '../test/log-spy.ts';
import { ManualClock } from '../test/manual-clock.ts';
import { testLeaseClaim, testSettlement, testSpendClaim, testWindowClaim } from './counters.suite.ts';
import { InMemoryCounters } from './in-memory-counters.ts';
import type { SharedStoreCounters } from './redis-counters.ts';
import { ResilientCounters } from './resilient-counters.ts';

const TIMEOUT_MS = 50;
/** After the store is back: 2 s and a time budget. */
const SHARE_ENFORCEMENT_MS = 2_050;

const TAKEN: AcquireResult = {
  refusedIndex: null,
  retryAfterMs: null,
  levels: [],
  amounts: [1],
  second: 0,
  countedLocally: false,
  localSecond: 0,
};

/** A shared store that a test can have hang: calls made meanwhile are never answered, but they are carried out. */
function createFakeStore(clock: ManualClock) {
  const inside = new InMemoryCounters(clock);
  const state = { hangs: false, calls: 0, settled: [] as ReservationSettlement[] };
  async function answer<T>(value: T): Promise<T> {
    state.calls += 1;
    return state.hangs ? new Promise<T>(() => undefined) : value;
  }
  const remote: SharedStoreCounters = {
    acquire: (org, id, claims) => answer(inside.acquire(org, id, claims)),
    settle(org, done) {
      state.settled.push(done);
      inside.settle(org, done);
      return answer(undefined);
    },
    extend: (org, more) => answer(inside.extend(org, more)),
    peek: (org, claims) => inside.peek(org, claims).then(answer),
    renew: () => answer(undefined),
    ping: () => answer(undefined),
    recordStoredSpend: () => undefined,
    close: async () => undefined,
  };
  return { remote, state, inside };
}

function createHarness(replicas = 4, refreshSpend: () => Promise<void> = async () => undefined) {
  const clock = new ManualClock();
  const log = createLogSpy();
  const { remote, state, inside } = createFakeStore(clock);
  const options = {
    remote,
    clock,
    log,
    replicaRank: () => ({ replicaCount: replicas, rank: 0 }),
    timeoutMs: TIMEOUT_MS,
    refreshSpend,
  };
  const counters = new ResilientCounters(options);
  /** A take, its time moved on when the store does not answer. */
  async function take(
    id: string,
    claims: Parameters<InMemoryCounters['acquire']>[2],
  ): Promise<AcquireResult> {
    const taking = counters.acquire('org', id, claims);
    await settleTurns();
    if (state.hangs) clock.advance(TIMEOUT_MS);
    await settleTurns();
    return taking;
  }
  return { clock, counters, state, inside, take, log };
}

async function settleTurns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

test('a recovered store is used after the spending was read again, or after two seconds', async () => {
  for (const finish of ['resolves', 'rejects', 'never'] as const) {
    let done: () => void = () => undefined;
    const refresh = () =>
      new Promise<void>((resolve, reject) => {
        if (finish === 'resolves') done = resolve;
        if (finish === 'rejects') done = () => reject(new Error('the database is away'));
      });
    const { clock, counters, state, take } = createHarness(4, refresh);
    const claims = [testWindowClaim('rpm', 40)];
    state.hangs = true;
    for (const id of ['a', 'b', 'c']) await take(id, claims);
    state.hangs = false;
    clock.advance(50);
    await settleTurns();
    assert.equal(counters.isStoreUnavailable, true, `${finish}: not before the spending is known`);
    if (finish === 'never') clock.advance(2_000);
    else done();
    await settleTurns();
    assert.equal(counters.isStoreUnavailable, false, finish);
    assert.equal((await take('d', claims)).countedLocally, false, finish);
  }
});

test('a store that hangs is waited for three times, then not until it responds', async () => {
  const { clock, counters, state, take } = createHarness();
  const claims = [testWindowClaim('rpm', 40)];
  state.hangs = true;
  for (const id of ['a', 'b', 'c']) assert.equal((await take(id, claims)).countedLocally, true);
  assert.equal(counters.isStoreUnavailable, true);
  const calls = state.calls;
  for (let n = 0; n < 6; n++)
    assert.equal((await counters.acquire('org', `d${n}`, claims)).refusedIndex, null);
  assert.equal(state.calls, calls, 'nobody asks it');
  const refused = await counters.acquire('org', 'e', claims);
  assert.equal(refused.refusedIndex, null, 'the tenth of a share of ten');
  assert.equal((await counters.acquire('org', 'f', claims)).refusedIndex, 0);
  state.hangs = false;
  clock.advance(500);
  await settleTurns();
  assert.equal(counters.isStoreUnavailable, false);
  clock.advance(SHARE_ENFORCEMENT_MS);
  assert.equal((await take('g', claims)).countedLocally, false);
});

test('for a second after a timeout, no other request waits, unless the store responded in time since', async () => {
  const { clock, state, take, counters } = createHarness();
  const claims = [testWindowClaim('rpm', 100)];
  assert.equal(counters.isStoreSlow, false);
  state.hangs = true;
  await take('a', claims);
  assert.equal(counters.isStoreSlow, true);
  clock.advance(1_000);
  assert.equal(counters.isStoreSlow, false);
  await take('b', claims);
  state.hangs = false;
  await take('c', claims);
  assert.equal(counters.isStoreSlow, false);
});

test('requests that a process admitted before count against its share when the store fails', async () => {
  const { state, take, counters } = createHarness();
  const claims = [testWindowClaim('rpm', 40)];
  for (let n = 0; n < 10; n++) await take(`a${n}`, claims);
  state.hangs = true;
  for (const id of ['b', 'c', 'd']) assert.equal((await take(id, claims)).refusedIndex, 0);
  assert.equal((await counters.acquire('org', 'e', claims)).refusedIndex, 0);
});

test('claims whose response was lost are returned when the store responds; exchanges in progress keep their slots', async () => {
  const { clock, state, take, inside, counters } = createHarness();
  const claims = [testLeaseClaim('at-once', 100), testSpendClaim('month', 1000, 40)];
  const before = await take('before', claims);
  state.hangs = true;
  const alone: AcquireResult[] = [];
  for (const id of ['a', 'b', 'c']) alone.push(await take(id, claims));
  await counters.settle('org', testSettlement('before', before, claims, [0, 25]));
  assert.deepEqual(
    (await inside.peek('org', claims)).map(({ used }) => used),
    [4, 160],
    'they were carried out',
  );
  state.hangs = false;
  clock.advance(500);
  await settleTurns();
  assert.deepEqual(
    (await inside.peek('org', claims)).map(({ used }) => used),
    [3, 25],
  );
  for (const [index, taken] of alone.entries())
    await counters.settle('org', testSettlement(['a', 'b', 'c'][index] ?? '', taken, claims, [0, 0]));
  assert.equal((await inside.peek('org', claims))[0]?.used, 0);
});

test('a recovered store receives the local grants, and the processes admit the rest of the limit', async () => {
  const { clock, state, take, counters } = createHarness(2);
  const claims = [testWindowClaim('rpm', 10, 1, { persistent: true })];
  state.hangs = true;
  // The first three are carried out by a store that answers too late, the rest it never hears of.
  for (const id of ['a', 'b', 'c', 'd', 'e']) assert.equal((await take(id, claims)).refusedIndex, null);
  assert.equal((await take('f', claims)).refusedIndex, 0, 'a share of five');
  state.hangs = false;
  clock.advance(500);
  await settleTurns();
  assert.equal(counters.isStoreUnavailable, false);
  assert.equal(
    (await take('g', claims)).refusedIndex,
    0,
    'still a share: the other process may not have told yet',
  );
  clock.advance(SHARE_ENFORCEMENT_MS);
  const taken = await take('h', claims);
  assert.equal(taken.levels[0]?.used, 6);
  assert.deepEqual(counters.stats(), {
    isUnavailable: false,
    errors: 3,
    localGrants: 5,
    localRejections: 2,
  });
});

test('a limit that the store reported as full remains full for the reported time, whatever the share allows', async () => {
  const { clock, state, take } = createHarness(2);
  const claims = [testWindowClaim('rpm', 4, 1, { persistent: true })];
  const other = [testWindowClaim('other', 4, 1, { persistent: true })];
  for (const id of ['a', 'b', 'c', 'd']) await take(id, claims);
  const full = await take('e', claims);
  assert.equal(full.refusedIndex, 0);
  state.hangs = true;
  for (const id of ['f', 'g', 'h']) await take(id, other);
  clock.advance(10_000);
  const refused = await take('i', claims);
  assert.deepEqual([refused.refusedIndex, refused.countedLocally], [0, true]);
  assert.ok(Math.abs((refused.retryAfterMs ?? 0) - ((full.retryAfterMs ?? 0) - 10_150)) < 1_000);
  clock.advance(60_000);
  assert.equal((await take('j', claims)).refusedIndex, null);
});

test('each rule defines the behavior during an outage: no limit, or rejection', async () => {
  const { clock, state, take, counters } = createHarness();
  state.hangs = true;
  for (const id of ['a', 'b', 'c']) await take(id, [testWindowClaim('x', 100)]);
  const open = [testWindowClaim('open', 1, 1, { outageMode: 'open' })];
  for (const id of ['d', 'e', 'f'])
    assert.equal((await counters.acquire('org', id, open)).refusedIndex, null);
  const closed = await counters.acquire('org', 'g', [
    testWindowClaim('closed', 100, 1, { outageMode: 'closed' }),
  ]);
  assert.equal(closed.refusedIndex, 0);
  assert.equal(closed.countedLocally, true);
  state.hangs = false;
  clock.advance(500);
  await settleTurns();
  assert.equal(counters.isStoreUnavailable, false);
  const back = await take('h', [testWindowClaim('closed', 1, 1, { outageMode: 'closed' })]);
  assert.deepEqual([back.refusedIndex, back.countedLocally], [null, false], 'it is counted again');
});

test('a reservation is extended in the shared store, and from the local share while it is unavailable', async () => {
  const { counters, state, inside, clock } = createHarness(4);
  const claims = [testSpendClaim('budget', 1_000, 100)];
  const taken = await counters.acquire('acme', 'a', claims);
  const more = (held: number, amount: number) =>
    counters.extend('acme', {
      id: 'a',
      countedLocally: taken.countedLocally,
      claims,
      reserved: held,
      amount,
    });
  assert.deepEqual(await more(100, 50), { granted: 50, limitingIndex: null, countedLocally: false });
  assert.equal((await inside.peek('acme', claims))[0]?.used, 150);
  state.hangs = true;
  const alone = more(150, 500);
  await settleTurns();
  clock.advance(TIMEOUT_MS);
  assert.deepEqual(
    await alone,
    { granted: 100, limitingIndex: 0, countedLocally: true },
    'a fourth of the budget, 150 of which it holds',
  );
});

test('settlements of budgets are kept longest during an outage, and a log line states if some are dropped', async () => {
  const { counters, state, log, take } = createHarness();
  state.hangs = true;
  for (const id of ['a', 'b', 'c']) await take(id, [testWindowClaim('rpm', 40)]);
  const settle = (claims: readonly BucketClaim[]) =>
    counters.settle('org', testSettlement('x', TAKEN, claims, [1]));
  const warnings = () => log.lines.filter(({ message }) => message.startsWith('too many updates'));
  for (let n = 0; n < 20_010; n++) void settle([testLeaseClaim('slots', 5)]);
  for (let n = 0; n < 79_990; n++) void settle([testSpendClaim('month', 1e9, 1)]);
  assert.equal(warnings().length, 0);
  for (let n = 0; n < 30; n++) void settle([testSpendClaim('month', 1e9, 1)]);
  assert.equal(warnings().length, 1);
  assert.deepEqual(warnings()[0]?.fields, { pending: 100_000 });
});

test('updates that wait for the store are sent when the process stops', async () => {
  const { clock, counters, state } = createHarness();
  const claims = [testSpendClaim('month', 1_000, 100)];
  const taken = await counters.acquire('org', 'a', claims);
  state.hangs = true;
  const settling = counters.settle('org', testSettlement('a', taken, claims, [70]));
  clock.advance(TIMEOUT_MS);
  await settling;
  state.settled.length = 0;
  state.hangs = false;
  await counters.close();
  assert.deepEqual(
    state.settled.map(({ id, actual }) => [id, actual]),
    [['a', [70]]],
  );
});

for (const [away, granted] of [
  ['open', 5_000],
  ['closed', 0],
] as const)
  test(`while the shared store is unavailable, a budget set to ${away} extends a reservation by ${granted}`, async () => {
    const { counters, state, clock } = createHarness(4);
    const claims = [testSpendClaim('budget', 1_000, 100, { outageMode: away })];
    const taken = await counters.acquire('acme', 'a', claims);
    state.hangs = true;
    const alone = counters.extend('acme', {
      id: 'a',
      countedLocally: taken.countedLocally,
      claims,
      reserved: 100,
      amount: 5_000,
    });
    await settleTurns();
    clock.advance(TIMEOUT_MS);
    assert.equal((await alone).granted, granted);
  });
