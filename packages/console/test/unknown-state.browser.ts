import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openConsolePage } from './console-harness.ts';
import { type MemberHarness, startMemberHarness } from './member-harness.ts';

/** Pages that must not draw a conclusion from data that could not be loaded. */

const MANAGEMENT = '/o/acme/management';
const OPEN_BREAKER = {
  id: 'sandbox/echo@none',
  provider: 'sandbox',
  model: 'echo',
  credential: 'none',
  state: 'open',
  reason: 'Trial',
  probe: null,
  wait_ms: 60_000,
  forced: null,
  calls: { ok: 0, failed: 5, slow: 0 },
};
let harness: MemberHarness;

before(async () => {
  harness = await startMemberHarness();
});
after(() => harness.close());

test('no conclusion is drawn from limits, keys or breakers that could not be loaded', async () => {
  const { page, context } = await openConsolePage(harness, '/o/acme/overview');
  const unavailable = {
    status: 503,
    json: {
      error: { code: 'overloaded', message: 'Try again in a moment.', param: null },
    },
  };
  for (const list of [/\/api\/management\/limits\?/, /\/api\/management\/breakers\?/, /\/keys\?.*owner=/])
    await page.route(list, (route) => route.fulfill(unavailable));
  await page.goto(`${harness.url}${MANAGEMENT}/keys?show=unbounded`);
  await page.getByText('Could not load limits and budgets.').waitFor();
  assert.equal(await page.getByText('No keys match').count(), 0);
  await page.getByRole('button', { name: 'Active' }).click();
  await page.locator('[data-row]').first().waitFor();
  assert.equal(await page.getByText('Could not load limits and budgets.').count(), 0);
  await page.goto(`${harness.url}${MANAGEMENT}/breakers?open=sandbox%2Fecho%40none`);
  await page.getByText('Unknown', { exact: true }).waitFor();
  assert.equal(await page.getByText('Closed (traffic)').count(), 0);
  await page.route(/\/api\/management\/breakers\?/, (route) =>
    route.request().url().includes('cursor=next')
      ? route.fulfill(unavailable)
      : route.fulfill({ json: { data: [OPEN_BREAKER], next_cursor: 'next' } }),
  );
  await page.goto(`${harness.url}${MANAGEMENT}/breakers?all=1`);
  await page.getByText('Could not load more.').waitFor();
  assert.equal(await page.getByText('Closed (traffic)').count(), 0);
  await page.goto(`${harness.url}${MANAGEMENT}/members`);
  await page.getByText('viewer@acme.example').first().click();
  await page.getByRole('button', { name: 'Remove member' }).click();
  await page
    .getByText(/All keys that they own will be revoked\. The list of these keys could not be loaded\./)
    .waitFor();
  await context.close();
});
