import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openConsolePage } from './console-harness.ts';
import { type MemberHarness, startMemberHarness } from './member-harness.ts';

/** Pages that must not draw a conclusion from data that could not be loaded. */

const MANAGEMENT = '/o/acme/management';
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
  await page.goto(`${harness.url}${MANAGEMENT}/breakers?open=sandbox%2Fecho%40none`);
  await page.getByText('Unknown', { exact: true }).waitFor();
  assert.equal(await page.getByText('Closed (traffic)').count(), 0);
  await page.goto(`${harness.url}${MANAGEMENT}/members`);
  await page.getByText('viewer@acme.example').first().click();
  await page.getByRole('button', { name: 'Remove member' }).click();
  await page.getByText(/All keys that they own will be revoked\. These keys could not be loaded\./).waitFor();
  await context.close();
});
