// Every field of a limit or budget that says whom it counts, on its own: who is reached, and whose bucket that is.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BudgetSchema, LimitSchema } from '@floe/contract/config/limits-cache-policies';
import type { KeyScope } from '@floe/contract/scopes';
import { compileLimitsAndBudgets, toConfiguredLimitOrBudget } from './compile-limits-and-budgets.ts';
import type { LimitOrBudgetClaim } from './limit-or-budget-claim.ts';
import { matchLimitsAndBudgets } from './matched-limits-and-budgets.ts';
import type { RequestAttributes } from './request-attributes.ts';

interface Who {
  readonly id: string;
  readonly team?: string;
  readonly owner?: string;
  readonly endUser?: string;
  readonly models?: readonly string[];
  readonly metadata?: Readonly<Record<string, string>>;
}

const NO_SECRET = { expiresAt: null, revokedAt: null, hash: '', prefix: '', last4: '' };

function callerOf({ id, team, owner, endUser, models = ['m'], metadata }: Who): RequestAttributes {
  const key = {
    id: `key_${id}`,
    orgId: 'acme',
    name: id,
    scopes: new Set<KeyScope>(),
    models: null,
    team: team ?? null,
    owner: owner ?? null,
    ...NO_SECRET,
  };
  return { key, endUser: endUser ?? null, models, metadata: metadata ?? null };
}

/** The bucket of a caller under the only rule there is; null where the rule does not reach them. */
function bucketOf(kind: 'limit' | 'budget', fields: object, who: Who): string | null {
  const limits =
    kind === 'limit'
      ? [toConfiguredLimitOrBudget(LimitSchema.parse({ name: 'one', rpm: 5, ...fields }))]
      : [];
  const budgets =
    kind === 'budget'
      ? [
          toConfiguredLimitOrBudget(
            BudgetSchema.parse({ name: 'one', period: 'total', limit_usd: 1, ...fields }),
          ),
        ]
      : [];
  const rules = compileLimitsAndBudgets(limits, budgets, 'UTC') ?? assert.fail();
  const matched = matchLimitsAndBudgets(rules, callerOf(who), 0);
  const [budget] = matched.budgets;
  if (budget) return budget.bucket;
  const [limit] = matched.limits;
  const claims: LimitOrBudgetClaim[] = [];
  limit?.bucket.addClaims(claims, null);
  return claims[0]?.bucket ?? null;
}

/** A field, whom it means, and somebody who differs in that only. */
const NAMED: readonly (readonly [fields: object, meant: Who, other: Who])[] = [
  [
    { scope: 'team', team: 'search' },
    { id: 'a', team: 'search' },
    { id: 'a', team: 'ads' },
  ],
  [{ scope: 'key', key: 'ci' }, { id: 'ci' }, { id: 'cd' }],
  [
    { scope: 'owner', owner: 'ann@a.example' },
    { id: 'a', owner: 'ann@a.example' },
    { id: 'a', owner: 'bob@a.example' },
  ],
  [
    { scope: 'end_user', end_user: 'u1' },
    { id: 'a', endUser: 'u1' },
    { id: 'a', endUser: 'u2' },
  ],
  [
    { scope: 'org', model: 'gpt-*' },
    { id: 'a', models: ['gpt-5'] },
    { id: 'a', models: ['claude'] },
  ],
];

for (const kind of ['limit', 'budget'] as const) {
  test(`a ${kind} applies to exactly the subjects that it names`, () => {
    for (const [fields, meant, other] of NAMED) {
      assert.notEqual(bucketOf(kind, fields, meant), null, JSON.stringify(fields));
      assert.equal(bucketOf(kind, fields, other), null, JSON.stringify(fields));
    }
  });

  test(`a ${kind} with scope has one bucket, and with per one for each subject`, () => {
    const [ann, bob]: readonly Who[] = [
      { id: 'a', team: 'search', owner: 'ann', endUser: 'u1' },
      { id: 'b', team: 'ads', owner: 'bob', endUser: 'u2' },
    ];
    assert.ok(ann && bob);
    assert.equal(bucketOf(kind, { scope: 'org' }, ann), bucketOf(kind, { scope: 'org' }, bob));
    for (const per of ['team', 'key', 'owner', 'end_user']) {
      assert.notEqual(bucketOf(kind, { per }, ann), bucketOf(kind, { per }, bob), per);
      assert.equal(bucketOf(kind, { per }, ann), bucketOf(kind, { per }, { ...bob, ...ann }), per);
    }
  });
}

test('a budget with metadata counts only requests that have all of its values', () => {
  const fields = { scope: 'org', metadata: { project: 'x', stage: 'prod' } };
  const of = (metadata: Record<string, string>) => bucketOf('budget', fields, { id: 'a', metadata });
  assert.notEqual(of({ project: 'x', stage: 'prod', more: 'y' }), null);
  assert.equal(of({ project: 'x' }), null);
  assert.equal(of({ project: 'x', stage: 'test' }), null);
});
