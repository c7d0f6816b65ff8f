// Limits and budgets against a plain model: random orgs and rules, bursts, and idle times of up to an hour, over every
// store. A scenario that fails is printed whole, with the seed that repeats it.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { silentLog } from '../core/log.ts';
import { InMemoryCounters } from '../store/counters/in-memory-counters.ts';
import { openRedisCounters, type SharedStoreCounters } from '../store/counters/redis-counters.ts';
import { ResilientCounters } from '../store/counters/resilient-counters.ts';
import { openDatabase } from '../store/open-database.ts';
import { upsertOrg } from '../store/orgs.ts';
import type { BudgetCharge } from '../store/spend/budget-charge.ts';
import type { Database, LimitCounters } from '../store/store-interfaces.ts';
import { ManualClock } from '../store/test/manual-clock.ts';
import { startTestRedis } from '../store/test/redis-server.ts';
import { createTemporaryDirectory } from '../store/test/temporary-directory.ts';
import { LimitAndBudgetEnforcer } from './limit-and-budget-enforcer.ts';
import { openLimitAndBudgetRuntime } from './limit-and-budget-runtime.ts';
import { SpendCache } from './spend-cache.ts';
import {
  expectExactResult,
  expectShareResult,
  type GuardFleet,
  runScenario,
  type ScenarioResult,
} from './test/guardrails-model.ts';
import { arbitraryScenario, type Scenario } from './test/guardrails-scenarios.ts';

const TIMES = process.env['FLOE_TEST_FULL'] === undefined ? 1 : 20;
const TIMEOUT_MS = 50;
const ORG = { name: 'Org', timezone: 'UTC', created_at: 0, updated_at: 0, updated_by: null };

async function sqlite(t: TestContext, clock = new ManualClock()): Promise<Database> {
  const parts = { dataDir: createTemporaryDirectory(t), log: silentLog, clock };
  const database = await openDatabase(`sqlite:${parts.dataDir}/floe.db`, parts);
  t.after(() => database.close());
  return database;
}

/** A guard that hears at once what was settled, as if the database had counted it. */
function guardOver(counters: LimitCounters, clock: ManualClock, database: Database): LimitAndBudgetEnforcer {
  const spendCache = new SpendCache(database, clock, silentLog);
  const sums = new Map<string, number>();
  function settle(_: string, charges: readonly BudgetCharge[]): void {
    for (const charge of charges) {
      const key = `${charge.orgId}\n${charge.bucket}`;
      const beforeNanoUsd = sums.get(key) ?? 0;
      const afterNanoUsd = beforeNanoUsd + charge.nanoUsd;
      sums.set(key, afterNanoUsd);
      const expiresAt = charge.endsAt;
      spendCache.record([{ ...charge, beforeNanoUsd, afterNanoUsd, expiresAt, isCurrentPeriod: true }]);
    }
  }
  const nothing = async () => undefined;
  return new LimitAndBudgetEnforcer({
    counters,
    journal: { reserve: nothing, extend: () => undefined, settle, flush: nothing, close: nothing },
    spendCache,
    clock,
  });
}

/** A fleet of processes that share nothing but a clock. */
function fleetOf(
  guards: readonly LimitAndBudgetEnforcer[],
  clock: ManualClock,
  more: Partial<GuardFleet> = {},
): GuardFleet {
  const run = randomUUID();
  return {
    guards,
    now: () => clock.now(),
    advance: async (ms) => clock.advance(ms),
    flush: async () => assert.fail('nothing is shared'),
    answered: async (grant) => grant,
    org: (number) => `${run}-${number}`,
    ...more,
  };
}

/** Plays so many scenarios, and makes sure that limits were met. */
async function check(
  t: TestContext,
  numRuns: number,
  arbitrary: fc.Arbitrary<Scenario>,
  run: (scenario: Scenario) => Promise<ScenarioResult>,
): Promise<void> {
  let refusals = 0;
  const property = fc.asyncProperty(arbitrary, async (scenario) => {
    const played = await run(scenario);
    refusals += played.refusals;
  });
  await fc.assert(property, { numRuns: numRuns * TIMES });
  assert.ok(refusals > numRuns * TIMES, `limits were met ${refusals} times`);
  t.diagnostic(`${numRuns * TIMES} scenarios, ${refusals} refusals`);
}

test('limits and budgets in memory admit exactly what a simple model admits, for any idle time', async (t) => {
  const database = await sqlite(t);
  await check(t, 300, arbitraryScenario(), async (scenario) => {
    const clock = new ManualClock();
    const counters = new InMemoryCounters(clock);
    const guard = guardOver(counters, clock, database);
    return runScenario(scenario, fleetOf([guard], clock), (entries) => expectExactResult(scenario, entries));
  });
});

test('a default installation admits the same, and its database contains the spending', async (t) => {
  const clock = new ManualClock();
  const database = await sqlite(t, clock);
  await check(t, 20, arbitraryScenario(), async (scenario) => {
    const dataDir = createTemporaryDirectory(t);
    const parts = {
      onUnusable: assert.fail,
      dataDir,
      database,
      sharedStoreUrl: 'memory',
      processCount: 1,
      sharedTimeoutMs: TIMEOUT_MS,
      observeSharedStore: () => undefined,
      clock,
      log: silentLog,
    };
    const { guard, close } = await openLimitAndBudgetRuntime(parts);
    const fleet = fleetOf([guard], clock);
    // What crosses a threshold is told to the channels of its org.
    await database.transaction(async (writer) => {
      for (const number of scenario.orgs.keys()) await upsertOrg(writer, { ...ORG, id: fleet.org(number) });
    });
    const played = await runScenario(scenario, fleet, (entries) => expectExactResult(scenario, entries));
    await close();
    const { sum } = await database.read
      .selectFrom('budget_spend')
      .select(({ fn }) => fn.sum<number | null>('spent_nano_usd').as('sum'))
      .where(
        'org_id',
        'in',
        scenario.orgs.map((_, number) => fleet.org(number)),
      )
      // Whatever the period of a budget is, this counter has all its spending.
      .where('bucket', 'like', '%:total:ever:%')
      .executeTakeFirstOrThrow();
    assert.equal(sum ?? 0, played.paidNanoUsd);
    return played;
  });
});

test('limits and budgets in an available Redis admit the same, flushed or not', async (t) => {
  const url = await startTestRedis();
  const admin = new Redis(url);
  t.after(() => admin.disconnect());
  const database = await sqlite(t);
  await check(t, 40, arbitraryScenario({ flushes: true }), async (scenario) => {
    const clock = new ManualClock();
    clock.advance(Date.now() - clock.now());
    let offset = 0;
    const remote = await openRedisCounters({ url, clock, offsetMs: () => offset });
    // Nothing fires a timer while a test waits: no answer is too late.
    const place = () => ({ replicaCount: 1, rank: 0 });
    const counters = new ResilientCounters({
      remote,
      clock,
      log: silentLog,
      replicaRank: place,
      timeoutMs: TIMEOUT_MS,
      refreshSpend: async () => undefined,
    });
    const fleet = fleetOf([guardOver(counters, clock, database)], clock, {
      advance: async (ms) => {
        offset += ms;
        await remote.ping();
        clock.advance(ms);
      },
      flush: async () => void (await admin.flushall()),
    });
    try {
      return await runScenario(scenario, fleet, (entries) => expectExactResult(scenario, entries));
    } finally {
      await counters.close();
    }
  });
});

for (const replicas of [1, 2, 4])
  test(`${replicas} processes with a frozen Redis admit their shares from the first request, and the limit together`, async (t) => {
    const database = await sqlite(t);
    const frozen = () => new Promise<never>(() => undefined);
    const remote: SharedStoreCounters = {
      acquire: frozen,
      settle: frozen,
      extend: frozen,
      peek: frozen,
      renew: frozen,
      recordStoredSpend: () => undefined,
      ping: frozen,
      close: async () => undefined,
    };
    await check(t, 100, arbitraryScenario({ budgets: 0, tokens: false }), async (scenario) => {
      const clock = new ManualClock();
      const guards = Array.from({ length: replicas }, (_, rank) => {
        const place = () => ({ replicaCount: replicas, rank });
        const options = {
          remote,
          clock,
          log: silentLog,
          replicaRank: place,
          timeoutMs: TIMEOUT_MS,
          refreshSpend: async () => undefined,
        };
        return guardOver(new ResilientCounters(options), clock, database);
      });
      const fleet = fleetOf(guards, clock, {
        answered: async (taking) => {
          let isOver = false;
          const done = Promise.resolve(taking).finally(() => {
            isOver = true;
          });
          for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
          if (!isOver) clock.advance(TIMEOUT_MS);
          return done;
        },
      });
      return runScenario(scenario, fleet, (entries) => expectShareResult(scenario, entries, replicas));
    });
  });
