import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { overviewText } from '../src/pages/overview/text.ts';
import { waitForCopiedText } from './checks.ts';
import { openConsolePage } from './console-harness.ts';
import { type MemberHarness, startMemberHarness } from './member-harness.ts';

/** A key that the setup guide or the page Connect creates stays visible until the user copies or dismisses it. */

const LEAVE = 'Leave without saving the key?';
let harness: MemberHarness;
before(async () => {
  harness = await startMemberHarness();
});
after(() => harness.close());

const question = (page: Page) => page.getByRole('dialog', { name: LEAVE });

/** Creates the key of the guide and returns it. */
async function createGuideKey(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Create key mara-first-steps' }).click();
  await page.getByText('This is the only time the full key is shown.').waitFor();
  const [key = ''] = /eis_[\w-]+/.exec((await page.locator('pre:visible').first().textContent()) ?? '') ?? [];
  assert.notEqual(key, '');
  return key;
}

test('the setup guide keeps a key that was not copied when another step opens, and asks before it closes', async () => {
  const { page, context, faults } = await openConsolePage(harness, '/o/acme/overview?guide=1');
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const key = await createGuideKey(page);
  await page.getByRole('button', { name: overviewText.guide.steps.budget }).click();
  await page.getByText(key).first().waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: overviewText.guide.steps.request }).click();
  await page.getByText(key).first().waitFor();
  for (const name of [overviewText.guide.show, overviewText.guide.dismiss]) {
    await page.getByRole('button', { name }).click();
    await question(page).getByRole('button', { name: 'Cancel' }).click();
    await page.getByText(key).first().waitFor();
  }
  await page.getByRole('button', { name: 'Copy key' }).click();
  assert.equal(await waitForCopiedText(page, /eis_/), key);
  await page.getByRole('button', { name: overviewText.guide.show }).click();
  await page.getByRole('heading', { name: 'Models by spend' }).waitFor();
  assert.equal(await question(page).count(), 0);
  assert.deepEqual(faults, []);
  await context.close();
});

test('a key that is being created is not lost when another client is chosen', async () => {
  const { page, context, faults } = await openConsolePage(harness, '/o/acme/connect/claude-code');
  const { promise: held, resolve: hold } = Promise.withResolvers<Route>();
  await page.route(/\/api\/management\/keys$/, (route) =>
    route.request().method() === 'POST' ? hold(route) : route.continue(),
  );
  await page.getByRole('button', { name: 'Create key mara-claude-code' }).click();
  const creation = await held;
  await page.getByRole('link', { name: 'Codex', exact: true }).click();
  await question(page).waitFor();
  await creation.continue();
  await page.getByText('This is the only time the full key is shown.').waitFor();
  await question(page).getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('link', { name: 'Codex', exact: true }).click();
  await question(page).getByRole('button', { name: 'Leave page' }).click();
  await page.getByRole('heading', { name: 'Connect Codex' }).first().waitFor();
  await page.getByRole('button', { name: 'Create key mara-codex' }).waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});
