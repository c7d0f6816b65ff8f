import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Limit } from '../limits/limit-form.ts';
import type { KeyResource } from './key-data.ts';
import { findKeyLimitsAndBudgets, hasLimitOrBudget } from './key-limits.ts';
import { isConsoleKey } from './key-status.ts';

const KEY = { name: 'ci', team: 'growth', owner: null };
const limit = (id: string, fields: Partial<Limit>): Limit =>
  JSON.parse(
    JSON.stringify({
      id,
      scope: null,
      per: null,
      team: null,
      key: null,
      owner: null,
      model: null,
      ...fields,
    }),
  );

test('the limits that name the key, its team, each key or the organization apply to it, and no others', () => {
  const limits = [
    limit('org', { scope: 'org' }),
    limit('mine', { scope: 'key', key: 'ci' }),
    limit('other', { scope: 'key', key: 'web' }),
    limit('team', { scope: 'team', team: 'growth' }),
    limit('owner', { scope: 'owner', owner: 'jo' }),
    limit('each', { per: 'key' }),
    limit('user', { per: 'end_user' }),
  ];
  const found = findKeyLimitsAndBudgets(KEY, { limits, budgets: [] }).limits.map(({ id }) => id);
  assert.deepEqual(found, ['org', 'mine', 'team', 'each']);
  assert.equal(hasLimitOrBudget(KEY, { limits: limits.slice(2, 3), budgets: [] }), false);
});

test('keys that the console creates for itself are recognized by their name and lifetime', () => {
  const key = (name: string, expires_at: string | null): KeyResource =>
    JSON.parse(JSON.stringify({ name, created_at: '2026-11-22T10:00:00Z', expires_at }));
  assert.equal(isConsoleKey(key('mara-console-x1y2', '2026-11-22T11:00:00Z')), true);
  assert.equal(isConsoleKey(key('console-x1y2', '2026-11-22T11:00:00Z')), true);
  assert.equal(
    isConsoleKey(key('mara-console-x1y2', '2027-11-22T11:00:00Z')),
    false,
    'a member chose this name',
  );
  assert.equal(isConsoleKey(key('console-tools', '2026-11-22T11:00:00Z')), false);
  assert.equal(isConsoleKey(key('mara-console-x1y2', null)), false);
});
