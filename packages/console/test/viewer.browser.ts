import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { TEST_TIMEOUT_MS } from '@floe/testkit/eventually';
import type { Page } from 'playwright-core';
import { takeFolderScreenshot } from './checks.ts';
import { openBrowserContext } from './console-harness.ts';
import { collectPageFaults } from './page-faults.ts';
import { type PopulatedConsole, SECRET_WORD, startPopulatedConsole } from './populated-console.ts';
import { trackPageRequests, waitForSettledPage } from './settled-page.ts';

/** Who may only read: every page by its address, everything on it, and nothing that can be changed. */

/** Pages without anything to change. A page that loses its buttons must not get in here unseen. */
const ONLY_READ = [
  /^\/(alerts|analytics|overview|connect)$/,
  /^\/requests\/exc_/,
  /^\/management\/(audit|models)$/,
  /^\/management\/settings\/(account|appearance)$/,
  /^\/relay\/(coverage|decisions)$/,
];

let harness: PopulatedConsole;
before(async () => {
  harness = await startPopulatedConsole();
});
after(() => harness.close());

test('a viewer opens every page by its address: all of it to read, every change off, with the names of who can', async () => {
  harness.signInAs('viewer');
  const context = await openBrowserContext(harness);
  const page = await context.newPage();
  trackPageRequests(page);
  const faults = await collectPageFaults(page, harness.url);
  const wrong: string[] = [];
  for (const place of harness.pageUrls.values()) {
    await page.goto(`${harness.url}/o/acme${place}`);
    await waitForSettledPage(page);
    for (const problem of await problemsOn(page, place)) wrong.push(`${place}: ${problem}`);
  }
  assert.deepEqual([...wrong, ...faults], []);
  await context.close();
});

async function problemsOn(page: Page, place: string): Promise<readonly string[]> {
  const found: string[] = [];
  const words = (await page.locator('main').innerText()).split(/\s+/).length;
  if (words < 8) found.push(`only ${words} words`);
  if ((await page.getByText(/^Could not |This page could not be displayed|Page not found/).count()) > 0)
    await takeFolderScreenshot(page, `viewer-failed${place.replaceAll('/', '-')}`).then(() =>
      found.push('it failed'),
    );
  const changes = page.locator('[data-needs]');
  const off = page.locator('[data-needs][aria-disabled=true]');
  // What lies behind a dialog cannot be reached.
  const top = (await page.getByRole('dialog').count()) > 0 ? page.getByRole('dialog') : page;
  const first = top.locator('[data-needs][aria-disabled=true]').first();
  const isOfFile = (await page.getByText(/^Defined in floe\.yaml/).count()) > 0;
  const isOnlyRead = isOfFile || ONLY_READ.some((path) => path.test(place));
  if (!isOnlyRead)
    await changes
      .first()
      .waitFor({ timeout: TEST_TIMEOUT_MS })
      .catch(() => null);
  const [all, disabled] = [await changes.count(), await off.count()];
  if (all !== disabled) found.push(`${all - disabled} of ${all} changes are on`);
  if (all === 0 && !isOnlyRead) found.push('no change is shown at all');
  if (disabled === 0) return found;
  // In sight first: a tooltip closes when what it is about is scrolled.
  await first.scrollIntoViewIfNeeded();
  await waitForSettledPage(page);
  await first.focus();
  const told = await page
    .getByRole('tooltip')
    .filter({ hasText: 'Requires the' })
    .first()
    .innerText({ timeout: TEST_TIMEOUT_MS })
    .catch(() => 'nothing');
  if (!/^Requires the (member|admin|owner) role\. Ask (Some admin or )?Mara Koch\.$/.test(told))
    await takeFolderScreenshot(page, `viewer-says${place.replaceAll('/', '-')}`).then(() =>
      found.push(`it says: ${told}`),
    );
  await page.keyboard.press('Escape');
  return found;
}

test('a viewer is shown no body, and the server gives none', async () => {
  harness.signInAs('viewer');
  const context = await openBrowserContext(harness);
  const page = await context.newPage();
  const bodies: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/bodies')) bodies.push(request.url());
  });
  await page.goto(`${harness.url}/o/acme/requests/${harness.loggedRequestId}`);
  await page.getByRole('tab', { name: 'Bodies' }).click();
  await page.getByText('Bodies are not available to viewers').waitFor();
  await page.getByText('Requires the member role. Ask Some admin or Mara Koch.').first().waitFor();
  assert.ok(!(await page.locator('body').innerText()).includes(SECRET_WORD));
  assert.deepEqual(bodies, []);
  assert.equal(
    (await harness.ask('GET', `/api/analytics/requests/${harness.loggedRequestId}/bodies`)).status,
    403,
  );
  await context.close();
  harness.signInAs('owner');
  const kept = await harness.ask('GET', `/api/analytics/requests/${harness.loggedRequestId}/bodies`);
  assert.ok(JSON.stringify(kept.body).includes(SECRET_WORD), 'there was something to hide');
});
