import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { assertAccessible, takeScreenshot, waitForCopiedText } from './checks.ts';
import { type ConsoleHarness, openConsolePage, startConsoleHarness } from './console-harness.ts';

/** What stands in floe.yaml, and what becomes of a file that cannot be used. */

let harness: ConsoleHarness;
before(async () => {
  harness = await startConsoleHarness();
});
after(() => harness.close());

const REFUSED = /floe\.yaml:\d+ was rejected: .*modles/;

for (const [name, look] of [
  ['desktop-light', {}],
  ['phone-dark', { phone: true, dark: true }],
] as const)
  test(`a route of the file says its line, is read only, and can be taken as YAML; a broken file is told everywhere: ${name}`, async () => {
    const { page, context, faults } = await openConsolePage(harness, '/o/acme/management/routes', look);
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.locator('[data-row="smart"]').click();
    await page
      .getByText(
        /^Defined in floe\.yaml:\d+\. To make changes, edit the file\. Floe reloads the file automatically\.$/,
      )
      .waitFor();
    assert.equal(await page.getByLabel('Model or alias').isDisabled(), true);
    assert.equal(await page.getByRole('button', { name: 'Save route' }).count(), 0);
    await page.getByRole('button', { name: 'Copy as YAML' }).click();
    await page.getByText('YAML copied. Add it to the organization in floe.yaml.').first().waitFor();
    const text = await waitForCopiedText(page, /^routes:\n {2}- model: smart\n/);
    assert.match(text, /sandbox\/flaky/);

    const file = harness.floe.configFile;
    const whole = readFileSync(file, 'utf8');
    assert.equal(await page.getByText('was rejected').count(), 0);
    writeFileSync(file, whole.replace('"routes"', '"modles"'));
    await page.getByText(REFUSED).waitFor();
    await takeScreenshot(page, `config-refused-${name}`);
    await assertAccessible(page);
    await everywhere(page);
    writeFileSync(file, whole);
    await page.getByText(REFUSED).waitFor({ state: 'detached' });
    assert.deepEqual(faults, []);
    await context.close();
  });

/** The strip stays on the way to other pages, and its link leads to all that is wrong. */
async function everywhere(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'View problems' }).click();
  await page.getByRole('heading', { name: 'Running configuration' }).waitFor();
  await page.getByText(REFUSED).first().waitFor();
  for (const path of ['overview', 'monitors', 'management/members']) {
    await page.goto(`${harness.url}/o/acme/${path}`);
    await page.getByText(REFUSED).waitFor();
  }
}

test('leaving what was changed and not saved asks first, and stays when told so', async () => {
  const { page, context, faults } = await openConsolePage(harness, '/o/acme/management/limits?open=new');
  await page.getByRole('textbox', { name: 'Requests per minute' }).fill('100');
  const ask = page.getByRole('dialog', { name: 'Discard unsaved changes?' });
  await page.getByRole('link', { name: 'Budgets' }).click();
  await ask.waitFor();
  await takeScreenshot(page, 'unsaved-desktop-light');
  await assertAccessible(page);
  await ask.getByRole('button', { name: 'Cancel' }).click();
  assert.equal(await page.getByRole('textbox', { name: 'Requests per minute' }).inputValue(), '100');
  await page.keyboard.press('Escape');
  await ask.waitFor();
  await ask.getByRole('button', { name: 'Discard changes' }).click();
  await page.waitForURL((url) => !url.searchParams.has('open'));
  await page.getByRole('link', { name: 'Budgets' }).click();
  await page.getByRole('heading', { level: 1, name: 'Budgets' }).waitFor();
  await page.goto(`${harness.url}/o/acme/management/limits?open=new`);
  await page.getByRole('textbox', { name: 'Requests per minute' }).fill('100');
  await page.locator('form').getByRole('button', { name: 'Create limit' }).click();
  // Saved is not lost: nobody asks.
  await page.waitForURL(/open=lim/);
  await page.getByRole('link', { name: 'Budgets' }).click();
  await page.getByRole('heading', { level: 1, name: 'Budgets' }).waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});
