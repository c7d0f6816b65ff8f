import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countSteps, startStepCounting } from '../../../test/fuzz/counted-steps.ts';

await startStepCounting();
const { SecretPlaceholders } = await import('./secret-placeholders.ts');

function createKeys(count: number) {
  const placeholders = new SecretPlaceholders();
  const create = (n: number) => placeholders.create(['key', 'ключ'], `${n}`);
  return placeholders.insertInto({ keys: Array.from({ length: count }, (_, n) => create(n)) })['keys'];
}

test('thousands of names without Latin letters get different placeholders, in linear time', async () => {
  const small = await countSteps(() => createKeys(1_000));
  const large = await countSteps(() => createKeys(4_000));
  assert.ok(small > 1_000 && large <= 6 * small, `${small} steps for 1,000 names, ${large} for 4,000`);
  const keys = createKeys(100_000);
  assert.ok(Array.isArray(keys));
  assert.deepEqual(keys.slice(0, 3), ['${KEY}', '${KEY_2}', '${KEY_3}']);
  assert.equal(new Set(keys).size, 100_000);
});
