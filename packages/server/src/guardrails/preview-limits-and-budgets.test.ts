import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BudgetSchema } from '@floe/contract/config/limits-cache-policies';
import type { KeyScope } from '@floe/contract/scopes';
import fc from 'fast-check';
import { silentLog } from '../core/log.ts';
import { toBudgetResource } from '../management/resources/limits-and-budgets.ts';
import { openDatabase } from '../store/open-database.ts';
import { ManualClock } from '../store/test/manual-clock.ts';
import { createTemporaryDirectory } from '../store/test/temporary-directory.ts';
import { compileLimitsAndBudgets, toConfiguredLimitOrBudget } from './compile-limits-and-budgets.ts';
import { findRejectionFault } from './limit-and-budget-enforcer.ts';
import { readLimitAndBudgetStatus } from './limit-and-budget-status.ts';
import { previewBudgets } from './preview-limits-and-budgets.ts';
import type { RequestAttributes } from './request-attributes.ts';
import { createMemoryGuard } from './test/memory-guard.ts';

const NO_RULES = { limits: [], budgets: [], relayRules: [], file: 'floe.yaml', timezone: 'UTC' };
const NO_SECRET = { expiresAt: null, revokedAt: null, hash: '', prefix: '', last4: '' };

function callerOf(orgId: string): RequestAttributes {
  const key = {
    id: 'key_a',
    orgId,
    name: 'ci',
    scopes: new Set<KeyScope>(),
    models: null,
    team: null,
    owner: null,
  };
  return { key: { ...key, ...NO_SECRET }, endUser: null, models: ['m'], metadata: null };
}

const estimate = (nanoUsd: number) => ({ tokens: 0, nanoUsd, unpriced: null });

test('a simulation denies a request with the code of the budget that would deny it, and separates spent from reserved', async (t) => {
  const clock = new ManualClock();
  const dataDir = createTemporaryDirectory(t);
  const database = await openDatabase(`sqlite:${dataDir}/floe.db`, { dataDir, log: silentLog, clock });
  t.after(() => database.close());
  const amount = fc.integer({ min: 1, max: 60 });
  const requests = fc.array(fc.record({ asks: amount, costs: fc.option(amount) }), { maxLength: 8 });
  const limits = fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 3 });
  let run = 0;
  const codes = new Set<string | undefined>();
  await fc.assert(
    fc.asyncProperty(limits, requests, amount, async (amounts, before, asked) => {
      const orgId = `org-${run++}`;
      const caller = callerOf(orgId);
      const guard = createMemoryGuard(database, clock);
      const configs = amounts.map((nano, n) =>
        BudgetSchema.parse({ name: `b${n}`, scope: 'org', period: 'month', limit_usd: nano / 1e9 }),
      );
      const rules =
        compileLimitsAndBudgets([], configs.map(toConfiguredLimitOrBudget), 'UTC') ?? assert.fail();
      let [spent, reserved] = [0, 0];
      for (const [n, { asks, costs }] of before.entries()) {
        const grant = await guard.acquire(`${orgId}-${n}`, rules, caller, estimate(asks));
        if (grant.taken.refusedIndex !== null) continue;
        if (costs === null) reserved += asks;
        else {
          guard.settle(grant, 0, costs);
          spent += costs;
        }
      }
      const { budgets } = await readLimitAndBudgetStatus(guard, rules, caller);
      for (const standing of budgets)
        assert.deepEqual([standing.spent_nano_usd, standing.reserved_nano_usd], [spent, reserved]);
      const [config] = configs;
      if (!config) assert.fail();
      const host = { guard, getFileRules: () => NO_RULES };
      const source = { kind: 'file', file: 'floe.yaml', line: 1 } as const;
      const shown = { id: configs[0]?.name ?? '', config, source, row: null };
      const { state } = await toBudgetResource(host, shown, orgId, clock.now());
      assert.deepEqual([state?.spent_nano_usd, state?.reserved_nano_usd], [spent, reserved]);
      const { refusal } = previewBudgets(budgets, estimate(asked));
      const taken = await guard.acquire(`${orgId}-last`, rules, caller, estimate(asked));
      assert.equal(refusal?.code, findRejectionFault(taken)?.code);
      codes.add(refusal?.code);
    }),
    { numRuns: 300, seed: 7 },
  );
  assert.deepEqual([...codes].map(String).sort(), ['budget_exceeded', 'budget_reserved', 'undefined']);
});
