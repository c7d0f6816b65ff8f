import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { waitForValue } from './checks.ts';
import { openConsolePage } from './console-harness.ts';
import { type MemberHarness, startMemberHarness } from './member-harness.ts';

/** Forms and dialogs whose response is slow: nothing is sent twice, and nothing is lost meanwhile. */

const MONITORS = '/o/acme/monitors';
let harness: MemberHarness;

before(async () => {
  harness = await startMemberHarness();
});
after(() => harness.close());

/** Holds the requests of one method until the test continues them. `sent` resolves with the first of them. */
async function holdRequests(page: Page, method: string, path: RegExp) {
  const held: Route[] = [];
  const { promise: sent, resolve } = Promise.withResolvers<void>();
  await page.route(path, async (route) => {
    if (route.request().method() !== method) return route.continue();
    held.push(route);
    resolve();
  });
  return { held, sent };
}

/** Responds to a held request like a proxy or server that rejects it. */
const reject = (route: Route | undefined) =>
  route?.fulfill({
    status: 500,
    json: { error: { code: 'internal_error', message: 'It failed.', param: null } },
  });

test('two activations in one frame send a form once', async () => {
  const { page, context } = await openConsolePage(harness, `${MONITORS}/new`);
  const { held, sent } = await holdRequests(page, 'POST', /\/api\/monitoring\/monitors$/);
  await page.getByLabel('Name').fill('Sent once');
  const button = page.getByRole('button', { name: 'Create monitor' });
  await button.evaluate((element: HTMLElement) => {
    element.click();
    element.click();
  });
  await sent;
  await page.getByLabel('Name').press('Control+s');
  await page.getByLabel('Name').press('Enter');
  assert.equal(held.length, 1);
  await held[0]?.continue();
  await page.getByRole('heading', { name: 'Sent once' }).waitFor();
  await context.close();
});

test('leaving a form while it is being saved asks for confirmation, and a rejected form keeps its input', async () => {
  const { page, context } = await openConsolePage(harness, `${MONITORS}/new`);
  const { held, sent } = await holdRequests(page, 'POST', /\/api\/monitoring\/monitors$/);
  await page.getByLabel('Name').fill('Kept');
  await page.getByRole('button', { name: 'Create monitor' }).click();
  await sent;
  await page.getByRole('link', { name: 'Channels' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await reject(held[0]);
  await page.getByText('It failed.').waitFor();
  await waitForValue(page.getByLabel('Name'), 'Kept');
  await context.close();
});

test('a confirmation that is still open when a save succeeds is closed, and the link is followed', async () => {
  const { page, context } = await openConsolePage(harness, `${MONITORS}/new`);
  await page.getByLabel('Name').fill('Edited');
  await page.getByRole('button', { name: 'Create monitor' }).click();
  await page.getByRole('heading', { name: 'Edited', exact: true }).waitFor();
  await page.goto(`${harness.url}${MONITORS}/edited/edit`);
  const { held, sent } = await holdRequests(page, 'PATCH', /\/api\/monitoring\/monitors\/edited$/);
  await page.getByLabel('Description').fill('Changed');
  await page.getByRole('button', { name: 'Save' }).click();
  await sent;
  await page.getByRole('link', { name: 'Channels' }).click();
  const question = page.getByRole('dialog', { name: 'Leave while saving?' });
  await question.waitFor();
  await held[0]?.continue();
  await question.waitFor({ state: 'detached' });
  await page.getByRole('heading', { name: 'Channels', exact: true }).waitFor();
  assert.match(page.url(), /channels/);
  await context.close();
});

for (const [outcome, message] of [
  ['success', 'Route left-success was created.'],
  ['failure', 'A change could not be saved. It failed.'],
] as const)
  test(`the ${outcome} of a form that the user has left is shown on the page that they opened`, async () => {
    const { page, context } = await openConsolePage(harness, '/o/acme/management/routes/new');
    const { held, sent } = await holdRequests(page, 'POST', /\/api\/management\/routes$/);
    await page.getByLabel('Model or alias').fill(`left-${outcome}`);
    await page.getByRole('button', { name: 'Add target' }).click();
    await page.getByLabel('Target 1', { exact: true }).fill('sandbox/echo');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Create route' }).click();
    await sent;
    await page.getByRole('link', { name: 'Channels' }).click();
    const question = page.getByRole('dialog', { name: 'Leave while saving?' });
    await question.getByRole('button', { name: 'Leave page' }).click();
    await page.getByRole('heading', { name: 'Channels', exact: true }).waitFor();
    if (outcome === 'success') await held[0]?.continue();
    else await reject(held[0]);
    await page.getByText(message).first().waitFor();
    assert.match(page.url(), /channels/);
    await context.close();
  });

test('a key that is being created is shown, whatever the user does meanwhile', async () => {
  const { page, context } = await openConsolePage(harness, MONITORS);
  await page.getByRole('link', { name: 'Keys' }).click();
  const { held, sent } = await holdRequests(page, 'POST', /\/api\/management\/keys$/);
  await page.getByRole('button', { name: 'Create key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('slow-key');
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await sent;
  await page.keyboard.press('Escape');
  await page.mouse.click(5, 5);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await held[0]?.continue();
  await page.getByRole('button', { name: 'Copy key' }).waitFor();
  const secret = page.locator('[data-secret]');
  await page.goBack();
  await page.getByRole('dialog', { name: 'Leave' }).getByRole('button', { name: 'Cancel' }).click();
  await page.setViewportSize({ width: 390, height: 844 });
  await secret.waitFor();
  const asked = new Promise<string>((resolve) => {
    page.once('dialog', async (question) => {
      resolve(question.type());
      await question.dismiss();
    });
  });
  await page.evaluate(() => location.reload());
  assert.equal(await asked, 'beforeunload');
  await secret.waitFor();
  await page.getByRole('button', { name: 'I have saved this key' }).click();
  await secret.waitFor({ state: 'detached' });
  await context.close();
});

test('a page stays if the code of a part of it no longer exists after an update', async () => {
  const { page, context, faults } = await openConsolePage(harness, `${MONITORS}/new`);
  await page.route(/command-palette[^/]*\.js/, (route) => route.fulfill({ status: 404 }));
  await page.getByLabel('Name').fill('Not lost');
  await page.keyboard.press('Control+k');
  await page.getByText('Part of this page could not be loaded.').waitFor();
  await page.getByRole('button', { name: 'Create monitor' }).click();
  await page.getByRole('heading', { name: 'Not lost' }).waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});
