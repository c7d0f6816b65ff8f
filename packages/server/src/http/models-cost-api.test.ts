// Listing models: the work grows with the number of keys and models, and not with their product.
// Tier: ci. Stores many keys and models.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { OrgSchema } from '@floe/contract/config/org';
import { countSteps, startStepCounting } from '../../test/fuzz/counted-steps.ts';
import { generatePlatformKey } from '../platform/key-format.ts';

await startStepCounting();
const { API_TEST_NOW, apiTestPepper, listResponseEntries, runApi } = await import('./test/running-api.ts');
const { insertPlatformKeys } = await import('../store/platform-keys.ts');
const { createKeyRow } = await import('./test/api-rows.ts');

async function start(t: TestContext, models: number) {
  const provider = {
    id: 'p',
    kind: 'sandbox',
    models: Array.from({ length: models }, (_, n) => `m${String(n).padStart(4, '0')}`),
  };
  const api = await runApi({ org: OrgSchema.parse({ id: 'acme', name: 'Acme', providers: [provider] }) });
  t.after(() => api.close());
  const { key } = await api.addKey('acme', { name: 'admin', scopes: ['management'] });
  /** Each key may use one model. */
  const addKeys = (count: number, columns: object = {}) => {
    const rows = Array.from({ length: count }, (_, n) => ({
      ...createKeyRow('acme', generatePlatformKey(), API_TEST_NOW, apiTestPepper),
      name: `k${String(n).padStart(4, '0')}`,
      scopes_json: '["gateway"]',
      models_json: JSON.stringify([`p/${provider.models[n % models]}`]),
      ...columns,
    }));
    return api.database.transaction((writer) => insertPlatformKeys(writer, rows));
  };
  const list = async (query: string) => {
    const answer = await api.call('GET', `/api/management/models?${query}`, { key });
    assert.equal(answer.status, 200, answer.text.slice(0, 500));
    return listResponseEntries(answer.body.data);
  };
  return { addKeys, list, measure: () => countSteps(() => list('limit=5')) };
}

async function measureSteps(t: TestContext, count: number): Promise<number> {
  const { addKeys, list, measure } = await start(t, count);
  await addKeys(count);
  await list('limit=1');
  return await measure();
}

test('four times as many keys and models take about four times as many steps, not sixteen times', async (t) => {
  const small = await measureSteps(t, 100);
  const large = await measureSteps(t, 400);
  assert.ok(large <= 6 * small, `${small} steps for 100, ${large} for 400`);
});

test('revoked and expired keys do not count, and take no steps', async (t) => {
  const { addKeys, list, measure } = await start(t, 10);
  await addKeys(30, { models_json: null });
  const before = await list('limit=1');
  const few = await measure();
  await addKeys(2_000, { revoked_at: API_TEST_NOW });
  await addKeys(2_000, { expires_at: API_TEST_NOW });
  const many = await measure();
  assert.deepEqual(await list('limit=1'), before);
  assert.deepEqual(before[0]?.keys, {
    count: 30,
    names: Array.from({ length: 20 }, (_, n) => `k${String(n).padStart(4, '0')}`),
  });
  assert.ok(many < 1.5 * few, `${few} steps without such keys, ${many} with them`);
});
