// The stores fail, one after the other, under a load with limits, budgets and a cache.
// Tier: ci. Stores fail under load in two processes.
import { test } from 'node:test';
import { assertAccountsBalance, formatLatencies, startDependencyFleet } from './dependency-fleet.ts';
import { runPostgresFaults } from './postgres-faults.ts';
import { runRedisFaults } from './redis-faults.ts';

test('failing stores under load cost no response, and no count', async (t) => {
  const harness = await startDependencyFleet(t);
  // Answers are slow until the code is warm.
  await harness.load.through();
  const quiet = formatLatencies(await harness.load.through());
  await t.test('Redis', (t) => runRedisFaults(t, harness, quiet));
  await t.test('PostgreSQL', (t) => runPostgresFaults(t, harness, quiet));
  await t.test('at the end, every response is accounted for', (t) => assertAccountsBalance(t, harness));
});
