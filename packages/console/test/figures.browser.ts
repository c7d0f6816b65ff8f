import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { takeScreenshot } from './checks.ts';
import {
  type ConsoleHarness,
  openConsolePage,
  startConsoleHarness,
  waitForWrittenRows,
} from './console-harness.ts';

const LONG = 'a-provider-with-a-long-name';
const MODEL = 'claude-sonnet-4-5-20250929';

let harness: ConsoleHarness;
before(async () => {
  harness = await startConsoleHarness('', {
    relay: { mode: 'observe' },
    providers: [
      { id: 'sandbox', kind: 'sandbox' },
      { id: LONG, kind: 'openai-compatible', base_url: 'http://127.0.0.1:9/v1', api_key: 'none' },
    ],
    budgets: [{ name: 'month', scope: 'org', period: 'month', limit_usd: 5, mode: 'soft' }],
  });
  for (let n = 0; n < 12; n += 1) await harness.chat(`${LONG}/${MODEL}`);
  for (let n = 0; n < 3; n += 1) await harness.chat('smart', { metadata: { team: 'growth' } });
  await waitForWrittenRows(harness, '', 15);
});
after(() => harness.close());

/** Opens the first row that opens beside the list. */
async function openRow(page: Page): Promise<void> {
  await page.locator('[data-row]').first().click();
  await page.waitForURL(/[?&]open=/);
}

for (const dark of [false, true])
  test(`a row says its model in full, with and without a drawer${dark ? ', in the dark' : ''}`, async () => {
    const { page, context, faults } = await openConsolePage(harness, '/o/acme/requests?range=1h', { dark });
    const name = page.locator('[data-column=model]').getByText(MODEL, { exact: true }).first();
    const isComplete = () => name.evaluate((shown) => shown.scrollWidth <= shown.clientWidth);
    await name.waitFor();
    assert.equal(await isComplete(), true, 'without a drawer');
    await takeScreenshot(page, `figures-requests-${dark ? 'dark' : 'light'}`);
    await openRow(page);
    await page
      .getByRole('button', { name: /^Close(?!d)/ })
      .first()
      .waitFor();
    await name.waitFor();
    assert.equal(await isComplete(), true, 'with a drawer');
    await takeScreenshot(page, `figures-requests-drawer-${dark ? 'dark' : 'light'}`);
    assert.deepEqual(faults, []);
    await context.close();
  });

for (const dark of [false, true])
  test(`a provider that fails is not shown as well${dark ? ', in the dark' : ''}`, async () => {
    const look = dark ? 'dark' : 'light';
    const { page, context, faults } = await openConsolePage(harness, '/o/acme/management/providers', {
      dark,
    });
    const row = page.locator('[data-row]').filter({ hasText: LONG });
    await row.getByText(/Failing|Degraded/).waitFor();
    await takeScreenshot(page, `figures-providers-${look}`);
    await page.goto(`${harness.url}/o/acme/management/providers/${LONG}`);
    await page
      .getByText(/Failing|Degraded/)
      .first()
      .waitFor();
    await takeScreenshot(page, `figures-provider-${look}`);
    await page.goto(`${harness.url}/o/acme/management/budgets?open=month`);
    await page.getByText('Current usage').or(page.getByText('Forecast')).first().waitFor();
    await takeScreenshot(page, `figures-budgets-${look}`);
    assert.deepEqual(faults, []);
    await context.close();
  });

test('a rule that is saved with Enforce while the relay observes is said to stop nothing', async () => {
  const { page, context, faults } = await openConsolePage(harness, '/o/acme/relay/rules/new', { dark: true });
  await page.getByLabel('Name').first().fill('no-force-push');
  await page.getByLabel('Commands').first().fill('git');
  const warning = page.getByText(/The relay mode is observe/);
  assert.equal(await warning.count(), 0, 'a rule that observes needs no warning');
  await page.getByText('Enforce', { exact: true }).click();
  await warning.first().waitFor();
  await takeScreenshot(page, 'figures-rule-dark');
  await page
    .getByRole('button', { name: /^(Create|Add|Save)/ })
    .first()
    .click();
  await page
    .getByText(/was saved\. The relay mode is observe/)
    .first()
    .waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});
