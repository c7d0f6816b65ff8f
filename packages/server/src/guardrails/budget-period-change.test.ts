import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { BudgetConfig } from '@floe/contract/config';
import { BudgetSchema } from '@floe/contract/config/limits-cache-policies';
import { eventually } from '@floe/testkit/eventually';
import { silentLog } from '../core/log.ts';
import { openDatabase } from '../store/open-database.ts';
import { upsertOrg } from '../store/orgs.ts';
import { expireHistoryExceptExchanges } from '../store/retention.ts';
import { ManualClock } from '../store/test/manual-clock.ts';
import { createTemporaryDirectory } from '../store/test/temporary-directory.ts';
import { compileLimitsAndBudgets, toConfiguredLimitOrBudget } from './compile-limits-and-budgets.ts';
import { findRejectionFault } from './limit-and-budget-enforcer.ts';
import { openLimitAndBudgetRuntime } from './limit-and-budget-runtime.ts';

const ORG = 'acme';
const DAY_MS = 86_400_000;
const START_MS = Date.parse('2026-12-10T12:00:00Z');
const END_USERS = { name: 'each', per: 'end_user', limit_usd: 100e-9 };
const KEY = {
  id: 'key_a',
  orgId: ORG,
  name: 'ci',
  scopes: new Set<never>(),
  models: null,
  team: null,
  owner: null,
  expiresAt: null,
  revokedAt: null,
  hash: '',
  prefix: '',
  last4: '',
};

/** Opens a process with a database, on 10 December. Budgets have a limit of 100 nano-USD. */
async function start(t: TestContext) {
  const clock = new ManualClock();
  clock.advance(START_MS - clock.now());
  const dataDir = createTemporaryDirectory(t);
  const database = await openDatabase(`sqlite:${dataDir}/floe.db`, { dataDir, log: silentLog, clock });
  t.after(() => database.close());
  await database.transaction((writer) =>
    upsertOrg(writer, { id: ORG, name: 'Org', created_at: 0, metadata_keys_json: null }),
  );
  const open = async () => {
    const parts = { dataDir, database, clock, log: silentLog, onUnusable: assert.fail };
    const shared = {
      sharedStoreUrl: 'memory',
      processCount: 1,
      sharedTimeoutMs: 50,
      observeSharedStore: () => undefined,
    };
    const process = await openLimitAndBudgetRuntime({ ...parts, ...shared });
    let rules = compileLimitsAndBudgets([], [], 'UTC');
    let number = 0;
    const attributes = (endUser: string) => ({ key: KEY, endUser, models: ['m'], metadata: null });
    const use = async (period: BudgetConfig['period']) => {
      const budget = BudgetSchema.parse({ ...END_USERS, period });
      rules = compileLimitsAndBudgets([], [toConfiguredLimitOrBudget(budget)], 'UTC');
      await process.prepareRules(new Map([[ORG, { rules }]]));
    };
    const rejects = async (endUser: string) => {
      number += 1;
      const estimate = { tokens: 0, nanoUsd: 1, unpriced: null };
      const grant = await process.guard.acquire(
        `${number}`,
        rules ?? assert.fail(),
        attributes(endUser),
        estimate,
      );
      const fault = findRejectionFault(grant);
      process.guard.settle(grant, 0, 0);
      return fault !== null;
    };
    const sumOf = (bucket: string) =>
      database.read
        .selectFrom('budget_spend')
        .select(['spent_nano_usd', 'ends_at'])
        .where('bucket', '=', bucket)
        .executeTakeFirst();
    const spend = async (endUser: string, nanoUsd: number, admittedWith = rules) => {
      number += 1;
      const bucket = `b:each:total:ever:${endUser}`;
      const before = (await sumOf(bucket))?.spent_nano_usd ?? 0;
      await process.guard.charge(`${number}`, admittedWith ?? assert.fail(), attributes(endUser), nanoUsd);
      clock.advance(100);
      await eventually(async () => (await sumOf(bucket))?.spent_nano_usd === before + nanoUsd || undefined);
    };
    const cached = (bucket: string) => process.guard.spendCache.spentNanoUsd(ORG, bucket);
    return { rules: () => rules, use, rejects, spend, cached, sumOf, close: process.close };
  };
  return { open, clock, database };
}

test('only the counters that budgets use are in memory, and they are removed when they expire', async (t) => {
  const { open, clock } = await start(t);
  const { use, spend, cached, close } = await open();
  t.after(close);
  await use('day');
  await spend('ana', 7);
  const day = 'b:each:day:2026-12-10:ana';
  const month = 'b:each:month:2026-12-01:ana';
  assert.deepEqual([cached(day), cached(month), cached('b:each:total:ever:ana')], [7, 0, 0]);
  await use('month');
  assert.deepEqual([cached(day), cached(month)], [7, 7], 'requests in progress use the earlier counter');
  const removed = (bucket: string) =>
    eventually(async () => {
      clock.advance(60_000);
      return cached(bucket) === 0 || undefined;
    });
  await removed(day);
  assert.equal(cached(month), 7);
  clock.advance(23 * DAY_MS);
  await removed(month);
});

test('a budget whose period changes counts the spending of its new period from its first request', async (t) => {
  const { open, clock } = await start(t);
  const first = await open();
  await first.use('day');
  await first.spend('ana', 60);
  clock.advance(DAY_MS);
  await first.spend('ana', 40);
  assert.equal(await first.rejects('ana'), false);
  await first.use('month');
  assert.equal(await first.rejects('ana'), true);
  await first.use('day');
  assert.equal(await first.rejects('ana'), false);
  await first.close();
  const second = await open();
  t.after(second.close);
  await second.use('week');
  assert.equal(await second.rejects('ana'), true, 'also if the change is made while no process runs');
  assert.equal(await second.rejects('bob'), false);
});

test('a budget that is changed to total keeps its spending, although no charge follows', async (t) => {
  const { open, clock, database } = await start(t);
  const first = await open();
  await first.use('month');
  await first.spend('ana', 100);
  const earlierRules = first.rules();
  await first.use('total');
  assert.equal((await first.sumOf('b:each:total:ever:ana'))?.ends_at, 0);
  await first.spend('bob', 100, earlierRules);
  for (const endUser of ['ana', 'bob']) {
    assert.equal(await first.rejects(endUser), true);
    assert.equal((await first.sumOf(`b:each:total:ever:${endUser}`))?.ends_at, 0);
  }
  clock.advance(200 * DAY_MS);
  const nowMs = clock.now();
  const before = { requestsMs: nowMs, auditMs: 0, responsesMs: 0, bodiesMs: 0, nowMs };
  await expireHistoryExceptExchanges(database, before);
  assert.equal(await first.rejects('ana'), true);
  await first.close();
  const second = await open();
  t.after(second.close);
  await second.use('total');
  assert.equal(await second.rejects('ana'), true);
});

test('a change of the period sends the alert of the highest threshold that the new period has passed, once', async (t) => {
  const { open, clock, database } = await start(t);
  const { use, spend, rejects, close } = await open();
  t.after(close);
  await use('day');
  const days = [
    ['ana', 40],
    ['ana', 45],
    ['bob', 10],
    ['eve', 49],
    ['eve', 49],
    ['eve', 49],
  ] as const;
  for (const [endUser, nanoUsd] of days) {
    await spend(endUser, nanoUsd);
    clock.advance(DAY_MS);
  }
  for (const period of ['month', 'day', 'month'] as const) await use(period);
  assert.equal(await rejects('eve'), true);
  const alerts = await database.read.selectFrom('alerts').selectAll().execute();
  assert.deepEqual(
    alerts.map(({ subject_id }) => subject_id),
    ['b:each:month:2026-12-01:ana', 'b:each:month:2026-12-01:eve'],
  );
});
