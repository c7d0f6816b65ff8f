import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BudgetSchema } from '@floe/contract/config/limits-cache-policies';
import { systemClock } from '../../core/clock.ts';
import { compileLimitsAndBudgets } from '../../guardrails/compile-limits-and-budgets.ts';
import { createMemoryGuardWithSpend } from '../../guardrails/test/memory-guard.ts';
import { listBudgetItems } from './budget-items.ts';

const NOW = Date.UTC(2026, 10, 21, 12);

test('a used budget is found among all budgets of the organization, most used first', async () => {
  const { guard, spendCache } = createMemoryGuardWithSpend(systemClock);
  const configs = Array.from({ length: 2_000 }, (_, n) =>
    BudgetSchema.parse({ name: `b${n}`, scope: 'end_user', end_user: `u${n}`, period: 'day', limit_usd: 1 }),
  );
  const each = BudgetSchema.parse({ name: 'each', per: 'end_user', period: 'day', limit_usd: 1 });
  const rules = compileLimitsAndBudgets(
    [],
    [...configs, each].map((config) => ({ id: config.name, source: 'console', config })),
    'UTC',
  );
  const budgets = rules?.budgets ?? [];
  const spend = (at: number, usd: number) => {
    const budget = budgets[at];
    assert.ok(budget);
    const { bucket, period, day } = budget.buckets.get(`u${at}`, NOW);
    const spentNanoUsd = usd * 1e9;
    spendCache.record([
      {
        orgId: 'acme',
        bucket,
        name: budget.name,
        mode: 'hard',
        period: 'day',
        day: day.name,
        endsAt: period.endsAt,
        limitNanoUsd: budget.limitNanoUsd,
        isCurrentPeriod: true,
        nanoUsd: spentNanoUsd,
        beforeNanoUsd: 0,
        afterNanoUsd: spentNanoUsd,
        expiresAt: 0,
      },
    ]);
  };
  spend(3, 0.5);
  spend(700, 0.8);
  spend(1_999, 1.2);
  const at = { orgId: 'acme', nowMs: NOW, limit: 20 };
  const items = await listBudgetItems(budgets, at, guard.spendCache);
  assert.deepEqual(
    items.map(({ severity, subject, text }) => [severity, subject.name, text]),
    [
      ['critical', 'b1999', '120% used; requests are rejected.'],
      ['warning', 'b700', '80% used.'],
    ],
  );
  assert.equal((await listBudgetItems(budgets, { ...at, limit: 1 }, spendCache)).length, 1);
  assert.deepEqual(await listBudgetItems(budgets, { ...at, nowMs: NOW + 24 * 3_600_000 }, spendCache), []);
});
