// The stores fail, one after the other, under a load with limits, budgets and a cache.
// Tier: ci. Stores fail under load in two processes.
import { test } from 'node:test';
import { assertAccountsBalance, formatLatencies, startDependencyFleet } from './dependency-fleet.ts';
import { runPostgresFaults } from './postgres-faults.ts';
import { runRedisFaults } from './redis-faults.ts';

test('stores that fail under load cost nobody an answer, and nothing of what is counted', async (t) => {
  const house = await startDependencyFleet(t);
  // Answers are slow until the code is warm.
  await house.load.through();
  const quiet = formatLatencies(await house.load.through());
  await t.test('Redis', (t) => runRedisFaults(t, house, quiet));
  await t.test('PostgreSQL', (t) => runPostgresFaults(t, house, quiet));
  await t.test('and in the end every answer is accounted for', (t) => assertAccountsBalance(t, house));
});
