import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BudgetSchema, LimitSchema } from '@floe/contract/config/limits-cache-policies';
import { CoordinatedCounters } from '../store/counters/coordinated-counters.ts';
import { InMemoryCounters } from '../store/counters/in-memory-counters.ts';
import { createCoordinatedProcesses } from '../store/test/coordinated-processes.ts';
import { ManualClock } from '../store/test/manual-clock.ts';
import { compileLimitsAndBudgets, toConfiguredLimitOrBudget } from './compile-limits-and-budgets.ts';
import { toBudgetCharges } from './grant-charges.ts';
import { findRejectionFault } from './limit-and-budget-enforcer.ts';
import { createMemoryGuardWithSpend } from './test/memory-guard.ts';

const ORG = 'acme';
const LIMIT_NANO_USD = 100;

test('a reservation grows by at most what is left of each hard budget, including the spending of other processes', async () => {
  const { guard, spendCache } = createMemoryGuardWithSpend(new ManualClock());
  const budget = { name: 'all', scope: 'org', period: 'month', limit_usd: LIMIT_NANO_USD / 1e9 };
  const rules =
    compileLimitsAndBudgets([], [toConfiguredLimitOrBudget(BudgetSchema.parse(budget))], 'UTC') ??
    assert.fail();
  const attributes = { key: KEY, endUser: null, models: ['m'], metadata: null };
  const grant = await guard.acquire('one', rules, attributes, { tokens: 0, nanoUsd: 10, unpriced: null });
  const [claim] = grant.claims;
  if (!claim) assert.fail('the budget has a claim');
  const spent = {
    ...budget,
    ...claim,
    orgId: ORG,
    nanoUsd: 70,
    limitNanoUsd: LIMIT_NANO_USD,
    mode: 'hard',
  } as const;
  spendCache.record([
    { ...spent, beforeNanoUsd: 0, afterNanoUsd: 70, isCurrentPeriod: true, expiresAt: claim.endsAt },
  ]);
  const { reservedNanoUsd, fault } = await guard.extend(grant, 50);
  assert.equal(reservedNanoUsd, 30, '70 of 100 are spent');
  assert.equal(fault?.code, 'budget_exceeded');
});

test('the message about an exceeded budget has the maximum cost, the remaining amount and the reset time', async () => {
  const { guard } = createMemoryGuardWithSpend(new ManualClock());
  const budget = { name: 'x', scope: 'org', period: 'month', limit_usd: 0.01 };
  const attributes = { key: KEY, endUser: null, models: ['m'], metadata: null };
  const estimate = (nanoUsd: number) => ({ tokens: 0, nanoUsd, unpriced: null });
  const rules =
    compileLimitsAndBudgets([], [toConfiguredLimitOrBudget(BudgetSchema.parse(budget))], 'UTC') ??
    assert.fail();
  await guard.acquire('one', rules, attributes, estimate(5_400_000));
  const first = await guard.acquire('two', rules, attributes, estimate(12_000_000));
  assert.match(
    findRejectionFault(first)?.message ?? '',
    /^The \$0\.01 budget "x" cannot cover this request: the request could cost up to \$0\.012, but only \$0\.0046 is left\. The budget resets at \d{4}-\d\d-01T00:00:00\.000Z\.$/,
  );
  const total = { ...budget, name: 'y', period: 'total' };
  const forever =
    compileLimitsAndBudgets([], [toConfiguredLimitOrBudget(BudgetSchema.parse(total))], 'UTC') ??
    assert.fail();
  const never = await guard.acquire('three', forever, attributes, estimate(12_000_000));
  assert.equal(
    findRejectionFault(never)?.message,
    'The $0.01 budget "y" cannot cover this request: the request could cost up to $0.012, but only $0.01 is left. The budget never resets. Ask an admin to raise the budget.',
  );
});

test('a response that another process charges after a restart counts once in its budgets', async () => {
  const clock = new ManualClock();
  const { coordinator, connect } = createCoordinatedProcesses(clock);
  const budget = { name: 'all', scope: 'org', period: 'month', limit_usd: 1_000 / 1e9 };
  const rules =
    compileLimitsAndBudgets([], [toConfiguredLimitOrBudget(BudgetSchema.parse(budget))], 'UTC') ??
    assert.fail();
  const attributes = { key: KEY, endUser: null, models: ['m'], metadata: null };
  const killed = new CoordinatedCounters(connect(1));
  const { guard: first } = createMemoryGuardWithSpend(clock, killed);
  const grant = await first.acquire('one', rules, attributes, { tokens: 0, nanoUsd: 400, unpriced: null });
  const counters = new CoordinatedCounters(connect(2));
  const { guard: other } = createMemoryGuardWithSpend(clock, counters);
  await other.chargeBuckets('one', ORG, toBudgetCharges(grant), 300);
  await counters.ping();
  coordinator.onExit(1);
  // The replacement charges the reservation in the journal of the process.
  const replacement = new CoordinatedCounters(connect(1));
  const { amounts, second } = grant.taken;
  const orphan = { id: 'one', second, countedLocally: false, localSecond: second, claims: grant.claims };
  replacement.settle(ORG, { ...orphan, amounts, actual: amounts });
  await replacement.ping();
  coordinator.onReady(1);
  const [level] = await counters.peek(ORG, grant.claims);
  assert.deepEqual([level?.used, level?.reserved], [400, 0]);
});

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

test('a request that needs a counter that an organization with too many cannot get is rejected with status 429', async () => {
  const clock = new ManualClock();
  const { guard } = createMemoryGuardWithSpend(clock, new InMemoryCounters(clock, { maxBucketsPerOrg: 0 }));
  const limit = toConfiguredLimitOrBudget(LimitSchema.parse({ name: 'one', scope: 'org', rpm: 5 }));
  const budget = { name: 'all', scope: 'org', period: 'month', limit_usd: 1 };
  const attributes = { key: KEY, endUser: null, models: ['m'], metadata: null };
  for (const [limits, budgets, code] of [
    [[limit], [], 'rate_limit_exceeded'],
    [[], [toConfiguredLimitOrBudget(BudgetSchema.parse(budget))], 'budget_reserved'],
  ] as const) {
    const rules = compileLimitsAndBudgets(limits, budgets, 'UTC') ?? assert.fail();
    const grant = await guard.acquire(code, rules, attributes, { tokens: 0, nanoUsd: 10, unpriced: null });
    const fault = findRejectionFault(grant);
    assert.deepEqual([fault?.code, fault?.status, fault?.detail.retryAfterMs], [code, 429, 1_000]);
    assert.match(
      fault?.message ?? '',
      /cannot count this request, because the organization has too many counters/,
    );
  }
});
