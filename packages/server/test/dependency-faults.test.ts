// The stores fail, one after the other, under a load with limits, budgets and a cache.
// Tier: ci. Stores fail under load in two processes.
import { test } from 'node:test';
import { assertAccounts, latencies, startDependencyHouse } from './dependency-house.ts';
import { postgresFaults } from './postgres-faults.ts';
import { redisFaults } from './redis-faults.ts';

test('stores that fail under load cost nobody an answer, and nothing of what is counted', async (t) => {
  const house = await startDependencyHouse(t);
  // Answers are slow until the code is warm.
  await house.load.through();
  const quiet = latencies(await house.load.through());
  await t.test('Redis', (t) => redisFaults(t, house, quiet));
  await t.test('PostgreSQL', (t) => postgresFaults(t, house, quiet));
  await t.test('and in the end every answer is accounted for', (t) => assertAccounts(t, house));
});
