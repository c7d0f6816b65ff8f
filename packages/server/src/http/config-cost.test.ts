// Applying a document: twice the resources take at most twice the steps on the main thread, whatever they are.
// Tier: ci. Measures the cost of long documents.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { countSteps, startStepCounting } from '../../test/fuzz/counted-steps.ts';
import type { RunningApi } from './test/running-api.ts';

await startStepCounting();
const { runApi } = await import('./test/running-api.ts');

let api: RunningApi;
let key: string;
before(async () => {
  api = await runApi();
  ({ key } = await api.addKey('acme'));
});
after(() => api.close());

const many = (n: number, one: (k: number) => object) => Array.from({ length: n }, (_, k) => one(k));
const SECTIONS: Readonly<Record<string, (n: number) => object>> = {
  teams: (n) => ({ teams: many(n, (k) => ({ id: `t${k}` })) }),
  keys: (n) => ({ keys: many(n, (k) => ({ name: `k${k}`, key: `eis_${String(k).padStart(40, '0')}` })) }),
  monitors: (n) => ({ monitors: many(n, (k) => ({ id: `m${k}`, expected_interval_minutes: 5 })) }),
  boards: (n) => ({ boards: many(n, (k) => ({ slug: `b${k}` })) }),
  channels: (n) => ({
    channels: many(n, (k) => ({ name: `c${k}`, kind: 'webhook', url: 'https://hooks.example/x' })),
  }),
  providers: (n) => ({ providers: many(n, (k) => ({ id: `p${k}`, kind: 'sandbox' })) }),
  routes: (n) => ({ routes: many(n, (k) => ({ model: `a/m${k}` })) }),
  policies: (n) => ({
    policies: many(n, (k) => ({ name: `p${k}`, on: 'request', when: 'true', action: 'flag' })),
  }),
  limits: (n) => ({ limits: many(n, (k) => ({ scope: 'org', rpm: k + 1 })) }),
  budgets: (n) => ({
    budgets: many(n, (k) => ({ name: `b${k}`, scope: 'org', period: 'day', limit_usd: 5 })),
  }),
  'relay rules': (n) => ({
    relay: {
      rules: many(n, (k) => ({ name: `r${k}`, on: 'shell', match: { command: 'git' }, decision: 'deny' })),
    },
  }),
};

/** An organization can have at most 200 of each of these. */
const MOST_200 = new Set(['boards', 'providers', 'policies']);

for (const [what, of] of Object.entries(SECTIONS))
  test(`twice as many resources take at most twice as many steps: ${what}`, async () => {
    const diff = async (n: number) => {
      const config = { orgs: [{ id: 'acme', ...of(n) }] };
      const answer = await api.call('POST', '/api/management/config/diff', { key, body: { config } });
      assert.equal(answer.status, 200, answer.text.slice(0, 500));
      assert.equal(Object.values(answer.body.changes ?? {}).length, n);
    };
    await diff(5);
    const few = MOST_200.has(what) ? 50 : 100;
    const small = await countSteps(() => diff(few));
    const large = await countSteps(() => diff(4 * few));
    // Each of these reads the others of its list, which is why there may be 1,000 of them in a document.
    // What else the process does meanwhile is counted too; four times as many squared would be 16.
    const factor = what === 'routes' || what === 'policies' ? 7.5 : 6;
    assert.ok(large <= factor * small, `${small} steps for ${few}, ${large} for ${4 * few}`);
  });

test('a document above the maximum size is rejected with the remedy', async () => {
  const wanted = { policies: 1_001, teams: 5_001 } as const;
  for (const [section, n] of Object.entries(wanted)) {
    const config = { orgs: [{ id: 'acme', ...SECTIONS[section]?.(n) }] };
    const { status, body } = await api.call('POST', '/api/management/config/diff', { key, body: { config } });
    assert.equal(status, 400);
    assert.match(String(body.error?.message), /at most/);
  }
});
