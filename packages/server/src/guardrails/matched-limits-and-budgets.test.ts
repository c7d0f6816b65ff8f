import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BudgetSchema } from '@floe/contract/config/limits-cache-policies';
import fc from 'fast-check';
import type { KeyRecord } from '../platform/keyring.ts';
import { ManualClock } from '../store/test/manual-clock.ts';
import { compileLimitsAndBudgets, toConfiguredLimitOrBudget } from './compile-limits-and-budgets.ts';
import { MAX_LIMITS_AND_BUDGETS_PER_REQUEST, matchLimitsAndBudgets } from './matched-limits-and-budgets.ts';
import { createMemoryGuardWithSpend } from './test/memory-guard.ts';

const NOW_MS = Date.UTC(2026, 0, 1);

function createKey(name: string, team: string | null = null, owner: string | null = null): KeyRecord {
  return {
    id: `key_${name}`,
    orgId: 'acme',
    name,
    scopes: new Set(['gateway']),
    models: null,
    team,
    owner,
    expiresAt: null,
    revokedAt: null,
    hash: '',
    prefix: '',
    last4: '',
  };
}

function compileBudgets(budgets: readonly object[]) {
  const configured = budgets.map((budget, n) =>
    toConfiguredLimitOrBudget(
      BudgetSchema.parse({ name: `budget-${n}`, period: 'day', limit_usd: 1, ...budget }),
    ),
  );
  return compileLimitsAndBudgets([], configured, 'UTC') ?? assert.fail('there are budgets');
}

const callerOf = (key: KeyRecord, endUser: string | null = null) => ({
  key,
  endUser,
  models: ['m'],
  metadata: null,
});

const SUBJECTS = fc.constantFrom(
  { scope: 'org' },
  { per: 'key' },
  { per: 'team' },
  { per: 'owner' },
  { per: 'end_user' },
  ...['a', 'b'].flatMap((name) => [
    { scope: 'key', key: name },
    { scope: 'team', team: name },
    { scope: 'owner', owner: `${name}@acme.example` },
    { scope: 'end_user', end_user: name },
  ]),
);

test('the budgets of a request are those whose subject it has, in their order, for any order of requests', () => {
  const names = fc.constantFrom('a', 'b');
  const optional = fc.option(names, { nil: null });
  fc.assert(
    fc.property(
      fc.array(SUBJECTS, { minLength: 1, maxLength: 12 }),
      fc.array(fc.tuple(names, optional, optional, optional), { maxLength: 8 }),
      (subjects, callers) => {
        const rules = compileBudgets(subjects);
        const keys = new Map<string, KeyRecord>();
        for (const [name, team, person, endUser] of callers) {
          const id = JSON.stringify([name, team, person]);
          const key = keys.get(id) ?? createKey(name, team, person && `${person}@acme.example`);
          keys.set(id, key);
          const matched = matchLimitsAndBudgets(rules, callerOf(key, endUser), NOW_MS);
          const expected = rules.budgets.filter((rule) => rule.bucketFor(key, endUser) !== null);
          assert.deepEqual(
            matched.budgets.map(({ rule }) => rule.name),
            expected.map(({ name: rule }) => rule),
          );
        }
      },
    ),
  );
});

test('10,000 budgets, each of another key, are searched once per key and not per request', () => {
  const rules = compileBudgets(Array.from({ length: 10_000 }, (_, n) => ({ scope: 'key', key: `key-${n}` })));
  let searched = 0;
  const counted = rules.budgets.map((rule) => ({
    ...rule,
    bucketFor(key: KeyRecord, endUser: string | null) {
      searched += 1;
      return rule.bucketFor(key, endUser);
    },
  }));
  const key = createKey('key-7');
  for (let request = 0; request < 3; request += 1)
    assert.equal(
      matchLimitsAndBudgets({ ...rules, budgets: counted }, callerOf(key), NOW_MS).budgets.length,
      1,
    );
  assert.equal(searched, 10_000 + 3);
});

test('a request to which more limits and budgets apply than can be counted quickly is rejected', async () => {
  const { guard } = createMemoryGuardWithSpend(new ManualClock());
  const caller = callerOf(createKey('a'));
  const estimate = { tokens: 0, nanoUsd: 10, unpriced: null };
  const most = Array.from({ length: MAX_LIMITS_AND_BUDGETS_PER_REQUEST }, () => ({ scope: 'org' }));
  const grant = await guard.acquire('one', compileBudgets(most), caller, estimate);
  assert.equal(grant.taken.refusedIndex, null);
  const more = compileBudgets([...most, { per: 'key' }]);
  assert.throws(() => guard.acquire('two', more, caller, estimate), {
    code: 'conflict',
    message: /^501 limits and budgets apply to this request\. The maximum is 500\./,
  });
});

test('a request that names many models is rejected if they cannot be compared with all limits and budgets', () => {
  const rules = compileBudgets(Array.from({ length: 2_000 }, () => ({ scope: 'org', model: 'other/*' })));
  const naming = (count: number) => ({
    ...callerOf(createKey('a')),
    models: Array.from({ length: count }, (_, n) => `m${n}`),
  });
  assert.doesNotThrow(() => matchLimitsAndBudgets(rules, naming(500), NOW_MS));
  assert.throws(() => matchLimitsAndBudgets(rules, naming(501), NOW_MS), /names 501 models/);
});
