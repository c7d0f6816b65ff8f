// A Redis that freezes, dies, comes back empty or grows slow, under a load with limits, a budget and a cache.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import {
  ANSWER_COST_NANO_USD,
  assertAllServed,
  CLIENTS_PER_PROCESS,
  ClientLoad,
  type DependencyFleet,
  formatLatencies,
  LOAD_CLIENTS,
  type LoadAnswer,
  pollSlowly,
  readBudgetSpend,
  readDatabaseSpend,
  readHealth,
  readMetric,
  TIGHT_BUDGET_ANSWERS,
} from './dependency-fleet.ts';
import { flushRedis } from './gateway-fleet.ts';

/** Each client three times until the breaker opens, and once more where the machine was busy before the outage. */
const WAITS_OF_AN_OUTAGE = 4 * CLIENTS_PER_PROCESS;

async function readTimeouts({ floes }: DependencyFleet): Promise<number[]> {
  return Promise.all(floes.map((floe) => readMetric(floe, 'floe_shared_store_errors_total')));
}

/** Every process counts by itself, or every process counts in the store again. */
async function waitForFallback({ floes }: DependencyFleet, isAway: boolean): Promise<void> {
  for (const floe of floes)
    await pollSlowly(async () =>
      (await readMetric(floe, 'floe_shared_store_up')) === Number(!isAway) ? true : undefined,
    );
}

/** What Redis may do; between and after, everybody has an answer. `quiet` is how long answers take without. */
export async function runRedisFaults(t: TestContext, harness: DependencyFleet, quiet: string): Promise<void> {
  const { load, redis, redisProxy, floes } = harness;

  const outage: Outage = (t, name, begin, end) => runOutage(t, harness, quiet, { name, begin, end });

  await t.test('frozen', (t) =>
    outage(
      t,
      'frozen',
      () => process.kill(redis.pid, 'SIGSTOP'),
      () => process.kill(redis.pid, 'SIGCONT'),
    ),
  );
  await t.test('killed, and started again empty', async (t) => {
    const known = await readDatabaseSpend(harness.databaseUrl, 'wide');
    assert.ok(known > 0);
    await outage(t, 'killed', redis.crash, redis.start);
    for (const floe of floes)
      assert.ok((await readBudgetSpend(floe, 'wide')) >= known, 'the budget was filled again');
  });
  await t.test('slower than the timeout', (t) =>
    outage(
      t,
      'slow',
      () => redisProxy.delay(200),
      () => redisProxy.restore(),
    ),
  );
  await t.test('slow, but within the timeout', async (t) => {
    redisProxy.delay(5);
    const during = await load.through();
    redisProxy.restore();
    assertAllServed(during, 'slow, but within the timeout');
    t.diagnostic(`10 ms slower: ${formatLatencies(during)}; before ${quiet}`);
  });
  await t.test('flushed', async () => {
    const known = await readDatabaseSpend(harness.databaseUrl, 'wide');
    await flushRedis(redis);
    assertAllServed(await load.through(), 'flushed');
    for (const floe of floes)
      assert.ok((await readBudgetSpend(floe, 'wide')) >= known, 'the budget was filled again');
  });
  await t.test(
    'emptied twice while a hard budget is spent: exceeded by what was in progress or not yet written',
    (t) => assertBoundedOverspend(t, harness),
  );
}

async function assertBoundedOverspend(t: TestContext, harness: DependencyFleet): Promise<void> {
  const { floes, redis, tight, databaseUrl } = harness;
  const spend = async (work: (load: ClientLoad) => Promise<unknown>) => {
    const load = new ClientLoad(
      floes.map(({ url }) => url),
      'tight',
    );
    load.start();
    await work(load);
    await load.stop();
    assert.deepEqual(
      load.all.filter((answer) => answer.status !== 200 && !isBroke(answer) && !isReserved(answer)),
      [],
    );
  };
  const asked = () => tight.requests.length * ANSWER_COST_NANO_USD;

  // While nobody asks nothing is forgotten, once each process has heard what the others spent.
  await spend((load) => load.through(TIGHT_BUDGET_ANSWERS / 4));
  await pollSlowly(async () =>
    (await readDatabaseSpend(databaseUrl, 'tight')) === asked() ? true : undefined,
  );
  await flushRedis(redis);
  for (const floe of floes)
    await pollSlowly(async () => ((await readBudgetSpend(floe, 'tight')) === asked() ? true : undefined));
  // Under load: what the provider was asked for since the database was read, and one request of each client.
  let allowance = 0;
  await spend(async (load) => {
    await load.through(TIGHT_BUDGET_ANSWERS / 4);
    await redis.crash();
    await waitForFallback(harness, true);
    // A process reads the database after Redis responds and before it reports that, so at this time or later.
    const known = await readDatabaseSpend(databaseUrl, 'tight');
    await redis.start();
    // A process that has not found it yet grants alone, and tells it afterwards.
    await waitForFallback(harness, false);
    allowance = asked() - known + LOAD_CLIENTS * ANSWER_COST_NANO_USD;
    await pollSlowly(async () => ((await load.through(LOAD_CLIENTS)).every(isBroke) ? true : undefined));
  });
  const limit = TIGHT_BUDGET_ANSWERS * ANSWER_COST_NANO_USD;
  t.diagnostic(`${usd(asked())} USD spent of ${usd(limit)}; the bound was ${usd(limit + allowance)}`);
  assert.ok(asked() >= limit - LOAD_CLIENTS * ANSWER_COST_NANO_USD, 'it was spent');
  assert.ok(asked() <= limit + allowance, `${asked()} of ${limit}`);
}

const isBroke = ({ status }: LoadAnswer) => status === 402;
/** The rest is held by requests in flight. */
const isReserved = ({ status, text }: LoadAnswer) => status === 429 && text.includes('"budget_reserved"');
const usd = (nano: number) => nano / 1e9;

type Outage = (t: TestContext, name: string, begin: () => unknown, end: () => unknown) => Promise<void>;

/** Breaks the store, waits for answers meanwhile, mends it; requests waited for it a bounded number of times. */
async function runOutage(
  t: TestContext,
  harness: DependencyFleet,
  quiet: string,
  { name, begin, end }: { name: string; begin: () => unknown; end: () => unknown },
): Promise<void> {
  const { load, floes } = harness;
  const before = await readTimeouts(harness);
  await begin();
  const during = await load.through();
  const waits = (await readTimeouts(harness)).map((after, index) => after - (before[index] ?? 0));
  await waitForFallback(harness, true);
  for (const floe of floes) assert.deepEqual(await readHealth(floe), [200, 200, 200], 'requests are served');
  await end();
  await waitForFallback(harness, false);
  const after = await load.through();
  assertAllServed([...during, ...after], name);
  for (const count of waits) assert.ok(count <= WAITS_OF_AN_OUTAGE, `${count} requests waited`);
  t.diagnostic(
    `${name}: ${during.length} answers, ${waits.join(' and ')} waited for Redis; ${formatLatencies(during)}; before ${quiet}`,
  );
}
