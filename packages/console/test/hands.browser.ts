import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isJsonObject } from '@floe/contract/json';
import { callHttp } from '@floe/testkit/http-client';
import { CONSOLE_KEY, type ConsoleHarness, openConsolePage, startConsoleHarness } from './console-harness.ts';

/** What hands rely on without a thought: where the focus is, whose keys they press, that what was typed stays. */

let harness: ConsoleHarness;

before(async () => {
  harness = await startConsoleHarness();
});
after(() => harness.close());

test('a drawer that is closed by key gives the focus back to its row', async () => {
  const { page, context, faults } = await openConsolePage(harness, '/o/acme/management/limits');
  await page.locator('[data-row]').first().focus();
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'Limit' }).waitFor();
  await page.locator('section:focus').waitFor();
  await page.keyboard.press('Escape');
  await page.locator('[data-row]:focus').waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});

test('letters pressed over a dialog are its own; the choice that keys stand at is in sight', async () => {
  const { page, context, faults } = await openConsolePage(harness, '/o/acme/management/keys');
  await page.getByRole('button', { name: 'Create key' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create key' });
  await dialog.getByRole('button', { name: 'Cancel' }).focus();
  await page.keyboard.press('g');
  await page.keyboard.press('r');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  assert.match(page.url(), /management\/keys$/);
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search' }).waitFor();
  for (let step = 0; step < 22; step += 1) await page.keyboard.press('ArrowDown');
  const isSeen = await page.locator('[role=option][aria-selected=true]').evaluate((option) => {
    const list = option.closest('[role=listbox]')?.getBoundingClientRect();
    const { top, bottom } = option.getBoundingClientRect();
    return list !== undefined && top >= list.top && bottom <= list.bottom;
  });
  assert.ok(isSeen);
  assert.deepEqual(faults, []);
  await context.close();
});

test('who types faster than the address follows loses no letter', async () => {
  const { page, context, faults } = await openConsolePage(harness, '/o/acme/management/keys');
  const find = page.getByRole('textbox', { name: 'Search keys' });
  await find.pressSequentially('agents of the night');
  await page.waitForURL((url) => url.searchParams.get('q') === 'agents of the night');
  assert.equal(await find.inputValue(), 'agents of the night');
  await page.getByText('No keys match').waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});

test('what is typed while a form is saved stays, and can be saved next', async () => {
  const made = await callHttp(`${harness.floe.url}/api/management/budgets`, {
    headers: { 'x-api-key': CONSOLE_KEY },
    body: { name: 'agents', scope: 'org', limit_usd: 50, period: 'month', mode: 'soft' },
  });
  const budget = made.json();
  const id = isJsonObject(budget) ? String(budget['id']) : '';
  const { page, context, faults } = await openConsolePage(harness, `/o/acme/management/budgets?open=${id}`);
  const held = Promise.withResolvers<void>();
  await page.route(`**/api/management/budgets/${id}`, async (route) => {
    if (route.request().method() === 'PATCH') await held.promise;
    await route.continue();
  });
  await page.getByLabel('Name').fill('agents-month');
  await page.getByRole('button', { name: 'Save budget' }).click();
  await page.getByLabel('Limit (USD)').fill('75');
  held.resolve();
  await page.getByText('Budget agents-month was saved.').first().waitFor();
  assert.equal(await page.getByLabel('Name').inputValue(), 'agents-month');
  assert.equal(await page.getByLabel('Limit (USD)').inputValue(), '75');
  await page.getByRole('button', { name: 'Save budget' }).click();
  await page.getByRole('heading', { name: 'agents-month' }).waitFor();
  await page.getByText('$75').first().waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});

test('a key can be copied where the page came over plain HTTP, out of the dialog that shows it', async () => {
  const { page, context, faults } = await openConsolePage(harness, '/o/acme/management/keys');
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.addInitScript('Object.defineProperty(window, "isSecureContext", { value: false })');
  await page.reload();
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByLabel('Name').fill('plain-http');
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  await page.getByRole('button', { name: 'Copy key' }).click();
  await page.getByText('Copied.').waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  const answer = await callHttp(`${harness.floe.url}/gateway/v1/models`, {
    headers: { authorization: `Bearer ${copied}` },
  });
  assert.equal(answer.status, 200);
  assert.deepEqual(faults, []);
  await context.close();
});
