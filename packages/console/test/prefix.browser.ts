import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertAccessible } from './checks.ts';
import {
  type ConsoleHarness,
  openConsolePage,
  startConsoleHarness,
  waitForWrittenRows,
} from './console-harness.ts';

let harness: ConsoleHarness;
before(async () => {
  harness = await startConsoleHarness('/floe');
  await harness.chat('sandbox/echo');
  await waitForWrittenRows(harness, '/floe', 1);
});
after(() => harness.close());

test('below a path prefix every link and every file is found, and nothing is asked for beside it', async () => {
  const { page, context, faults } = await openConsolePage(harness, '/o/acme/requests');
  const outside: string[] = [];
  page.on('request', (request) => {
    if (!new URL(request.url()).pathname.startsWith('/floe/')) outside.push(request.url());
  });
  await page.waitForURL(/\/floe\/o\/acme\/requests/);
  await page.locator('[data-row]').first().click();
  await page.getByRole('button', { name: 'Open request page' }).click();
  await page.waitForURL(/\/floe\/o\/acme\/requests\/exc_/);
  await page.reload();
  await page.getByRole('heading', { name: 'Why this route?' }).waitFor();
  await assertAccessible(page);
  await page.getByRole('link', { name: 'Requests' }).first().click();
  await page.locator('[data-row]').first().waitFor();
  harness.signInAs(null);
  await page.reload();
  await page.waitForURL(/\/floe\/sign-in\?next=\/o\/acme\/requests/);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  harness.signInAs('owner');
  await page.reload();
  await page.waitForURL(/\/floe\/o\/acme\/requests/);
  assert.deepEqual(outside, []);
  assert.deepEqual(faults, []);
  await context.close();
});
