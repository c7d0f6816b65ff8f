import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { callHttp } from '@floe/testkit/http-client';
import { waitForValue } from './checks.ts';
import { CONSOLE_KEY, type ConsoleHarness, openConsolePage, startConsoleHarness } from './console-harness.ts';

/** What the user enters is what is used, and what is shown is what is known. */

let harness: ConsoleHarness;

before(async () => {
  harness = await startConsoleHarness();
});
after(() => harness.close());

test('several filters that are pasted together all apply', async () => {
  const { page, context } = await openConsolePage(harness, '/o/acme/requests?range=1h');
  const input = page.getByRole('combobox', { name: 'Filter' });
  await input.waitFor();
  await input.evaluate((element) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text', 'status:500 model:sandbox/echo');
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  });
  await page.getByRole('button', { name: 'Remove filter model' }).waitFor();
  await page.getByRole('button', { name: 'Remove filter status' }).waitFor();
  await context.close();
});

test('Enter that ends a composition of an input method adds no filter', async () => {
  const { page, context } = await openConsolePage(harness, '/o/acme/monitors');
  const input = page.getByRole('combobox', { name: 'Filter' });
  await input.fill('バック');
  await input.dispatchEvent('keydown', { key: 'Enter', isComposing: true });
  await waitForValue(input, 'バック');
  await input.press('Enter');
  await page.getByRole('button', { name: /^Remove filter/ }).waitFor();
  await context.close();
});

test('a time zone that is typed completely is used without choosing it from the list', async () => {
  const { page, context } = await openConsolePage(harness, '/o/acme/maintenance?open=new');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Repeats' }).click();
  const zone = dialog.getByRole('combobox', { name: 'Time zone' });
  await zone.fill('europe/riga');
  await zone.press('Tab');
  await waitForValue(zone, 'Europe/Riga');
  await zone.fill('Nowhere/Town');
  await zone.press('Tab');
  await waitForValue(zone, 'Europe/Riga');
  await context.close();
});

test('a forced state of a breaker keeps the chosen duration when the state is changed', async () => {
  const { page, context } = await openConsolePage(harness, '/o/acme/management/breakers');
  await page.getByRole('button', { name: 'Force breaker state' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Breaker').fill('sandbox/echo@none');
  await dialog.getByLabel('Reason').fill('Test');
  await dialog.getByLabel('Duration').selectOption('86400');
  await dialog.getByLabel('State').selectOption('auto');
  await dialog.getByLabel('State').selectOption('closed');
  assert.equal(await dialog.getByLabel('Duration').inputValue(), '86400');
  const sent = page.waitForRequest((request) => request.url().includes('/force'));
  await dialog.getByRole('button', { name: 'Force closed' }).click();
  assert.equal((await sent).postDataJSON().expires_in_seconds, 86_400);
  await context.close();
});

test('tags for several monitors are kept when the server rejects them', async () => {
  const { page, context } = await openConsolePage(harness, '/o/acme/monitors');
  await page.route(/\/api\/monitoring\/monitors$/, (route) =>
    route.request().method() === 'PATCH'
      ? route.fulfill({
          status: 400,
          json: { error: { code: 'invalid_request', message: 'Too many tags.', param: null } },
        })
      : route.continue(),
  );
  await page.getByRole('row', { name: /Nightly backup/ }).focus();
  await page.keyboard.press('x');
  await page.getByRole('button', { name: 'Edit tags' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Add tags').fill('db, critical');
  await dialog.getByRole('button', { name: 'Save tags' }).click();
  await dialog.getByText('Too many tags.').waitFor();
  await waitForValue(dialog.getByLabel('Add tags'), 'db, critical');
  await context.close();
});

test('undoing the deletion of a view restores its own filters', async () => {
  const { page, context } = await openConsolePage(harness, '/o/acme/requests?range=24h&status=500');
  await page.getByRole('button', { name: 'Save view' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Failures');
  await page.getByRole('dialog').getByRole('button', { name: 'Save view' }).click();
  await page.getByRole('button', { name: 'Remove filter status' }).click();
  await page.getByRole('button', { name: 'Edit view (unsaved changes)' }).click();
  await page.getByRole('menuitem', { name: 'Delete view' }).click();
  const sent = page.waitForRequest((request) => request.method() === 'POST' && /views$/.test(request.url()));
  await page.getByRole('button', { name: 'Undo' }).click();
  assert.deepEqual((await sent).postDataJSON().filters, { range: '24h', status: '500' });
  await context.close();
});

test('a response that is cut off is not shown as complete', async () => {
  const { page, context } = await openConsolePage(harness, '/o/acme/playground?model=sandbox/echo');
  await page.route('**/gateway/v1/chat/completions', (route) =>
    route.fulfill({
      headers: { 'content-type': 'text/event-stream' },
      body: 'data: {"choices":[{"delta":{"content":"Half of an ans"}}]}\n\n',
    }),
  );
  await page.getByLabel('User').fill('Hello');
  await page.getByRole('button', { name: 'Run' }).click();
  const answer = page.getByRole('article', { name: 'Response from sandbox/echo' });
  await answer.getByText('Half of an ans').waitFor();
  await answer.getByText('The response was cut off').waitFor();
  assert.equal(await answer.getByRole('button', { name: 'Continue conversation' }).count(), 0);
  await context.close();
});

test('the cost of a key is shown as unknown if the API returns only the costs of other keys', async () => {
  const { page, context } = await openConsolePage(harness, '/o/acme/overview');
  const sums = { requests: 1, errors: 0, input_tokens: 1, output_tokens: 1, cached_tokens: 0 };
  const data = Array.from({ length: 100 }, (_, n) => ({
    ...sums,
    value: `key_other_${n}`,
    name: `other-${n}`,
    cost_nano_usd: 1_000_000_000,
  }));
  let isKnown = false;
  await page.route(/\/api\/analytics\/top\?.*by=key/, (route) =>
    isKnown ? route.fulfill({ json: { data: data.slice(1) } }) : route.fulfill({ json: { data } }),
  );
  await page.goto(`${harness.url}/o/acme/management/keys`);
  const cost = page.getByRole('row', { name: /^ci/ }).locator('[data-column=cost]');
  await cost.getByText('unknown', { exact: true }).waitFor();
  isKnown = true;
  await page.reload();
  await cost.getByText('$0', { exact: true }).waitFor();
  await context.close();
});

test('a filter for the value of a row matches that value, whatever commas it contains', async () => {
  await harness.chat('sandbox/echo', { metadata: { team: 'north, south' } });
  const { page, context } = await openConsolePage(harness, '/o/acme/requests?range=1h');
  await page.locator('[data-row]').first().focus();
  await page.keyboard.press('f');
  await page
    .getByRole('menuitem', { name: /metadata\.team north, south/ })
    .first()
    .click();
  await page.getByRole('button', { name: 'Remove filter metadata.team' }).waitFor();
  // Until the filtered rows have loaded, the previous rows are shown.
  await page.reload();
  await page.locator('[data-row]').first().waitFor();
  await context.close();
});

test('changes of a channel are not lost by closing it while its deliveries are shown', async () => {
  const made = await callHttp(`${harness.floe.url}/api/monitoring/channels`, {
    headers: { 'x-api-key': CONSOLE_KEY },
    body: { name: 'ops', kind: 'webhook', url: 'https://ops.example/hook' },
  });
  const id = String(Reflect.get(Object(made.json()), 'id'));
  const { page, context } = await openConsolePage(harness, `/o/acme/channels?open=${id}`);
  await page.getByLabel('Name', { exact: true }).fill('ops-renamed');
  await page.getByRole('tab', { name: 'Deliveries' }).click();
  await page.keyboard.press('Escape');
  const question = page.getByRole('dialog', { name: 'Discard unsaved changes?' });
  await question.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('tab', { name: 'Settings' }).click();
  await waitForValue(page.getByLabel('Name', { exact: true }), 'ops-renamed');
  await context.close();
});
