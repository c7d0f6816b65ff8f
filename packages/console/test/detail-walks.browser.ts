import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type FakeUpstream, startFakeUpstream } from '@floe/testkit/fake-upstream';
import { createJsonReply } from '@floe/testkit/upstream-reply';
import type { Page } from 'playwright-core';
import { assertAccessible, takeScreenshot } from './checks.ts';
import {
  type ConsoleHarness,
  openConsolePage,
  startConsoleHarness,
  waitForWrittenRows,
} from './console-harness.ts';

let harness: ConsoleHarness;
let upstream: FakeUpstream;

/** Parts of a nano-dollar for a token, so that a sum must be rounded. */
const prices = { echo: { input: 0.0371, output: 0.1503 } };
const sandbox = (id: string) => ({ id, kind: 'sandbox', prices, models: ['*'] });

before(async () => {
  upstream = await startFakeUpstream({
    respond: ({ path }) =>
      path.endsWith('/models')
        ? createJsonReply({ object: 'list', data: [{ id: 'own' }] })
        : createJsonReply({
            id: 'c',
            object: 'chat.completion',
            created: 1,
            model: 'own',
            choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
            usage: { prompt_tokens: 1_000, completion_tokens: 10, total_tokens: 1_010 },
          }),
  });
  harness = await startConsoleHarness('', {
    providers: [sandbox('east'), sandbox('west'), sandbox('sandbox')],
    routes: [
      {
        model: 'smart',
        strategy: 'failover',
        targets: ['east/flaky', 'west/flaky', 'sandbox/echo'],
        retries: 0,
      },
    ],
  });
});
after(async () => {
  await harness.close();
  await upstream.close();
});

/** Thousandths of a nano-dollar of `$0.0000371`. */
function exact(money: string): number {
  const [whole = '', part = ''] = money.replace('$', '').replaceAll(',', '').split('.');
  return Number(whole + part.padEnd(12, '0'));
}

const say = (content: string) => [{ role: 'user', content }];
let written = 0;
async function ask(model: string, more: Readonly<Record<string, unknown>>): Promise<string> {
  const id = await harness.chat(model, more);
  written += 1;
  await waitForWrittenRows(harness, '', written);
  return id;
}

for (const [name, look] of [
  ['desktop-light', {}],
  ['phone-dark', { phone: true, dark: true }],
] as const)
  test(`a request with three attempts shows each, why it failed, and a cost table that adds up: ${name}`, async () => {
    const id = await ask('smart', { messages: say('fail 503') });
    const { page, context, faults } = await openConsolePage(harness, '/o/acme/requests?range=1h', look);
    const row = page.locator(`[data-row="${id}"]`);
    await row.waitFor();
    if (!('phone' in look)) await row.getByText(/^\d+ attempts$/).waitFor();
    await row.click();
    const attempts = page.locator('section', { has: page.getByRole('heading', { name: 'Attempts' }) }).last();
    for (const [n, target, reason] of [
      [1, 'east/flaky', /upstream/],
      [2, 'west/flaky', /upstream/],
      [3, 'sandbox/echo', /200/],
    ] as const) {
      const line = attempts.getByRole('listitem').filter({ hasText: `${n} · ${target}` });
      await line.waitFor();
      assert.match((await line.textContent()) ?? '', reason);
    }
    await page.getByText('Why this route?').first().waitFor();
    const table = page.getByRole('table', { name: 'Cost' });
    await table.waitFor();
    const lines = await table.locator('[data-cost-line]').allTextContents();
    const rounded = await table
      .locator('tfoot tr', { hasText: 'Rounded up' })
      .locator('td')
      .allTextContents();
    assert.ok(lines.length >= 2 && rounded.length === 1, `${lines} ${rounded}`);
    const sum = [...lines, ...rounded].map(exact).reduce((total, one) => total + one, 0);
    assert.equal(sum, exact((await table.locator('[data-cost]').textContent()) ?? ''));
    await takeScreenshot(page, `walk-14-${name}`);
    await table.scrollIntoViewIfNeeded();
    await takeScreenshot(page, `walk-14-cost-${name}`);
    await assertAccessible(page);
    assert.deepEqual(faults, []);
    await context.close();
  });

test('a request whose stream broke is Partial in the list, says so over its details, and counts below the line', async () => {
  const id = await ask('sandbox/flaky', {
    stream: true,
    messages: say('one two three four five six fail cut'),
  });
  const { page, context, faults } = await openConsolePage(harness, '/o/acme/requests?range=1h');
  const row = page.locator(`[data-row="${id}"]`);
  await row.getByText('Partial', { exact: true }).waitFor();
  await page
    .getByRole('listitem')
    .filter({ hasText: /^Partial 1$/ })
    .waitFor();
  await page
    .locator('svg title', { hasText: /\b1 partial$/ })
    .first()
    .waitFor({ state: 'attached' });
  await row.click();
  await page
    .getByText(
      /^sandbox ended the response after .+\. The client received about \d+ tokens and an error event\.$/,
    )
    .waitFor();
  await takeScreenshot(page, 'walk-15-desktop-light');
  await assertAccessible(page);
  await page.getByRole('button', { name: 'Request actions' }).click();
  await page.getByRole('menuitem', { name: /Show requests with error/ }).click();
  await page.waitForURL(/error_code=/);
  await page.locator(`[data-row="${id}"]`).waitFor();
  assert.deepEqual(faults, []);
  await context.close();
});

/** A provider of an admin's own, whose model nobody has a price for. */
async function addProvider(page: Page): Promise<void> {
  await page.getByLabel('Kind').selectOption('openai-compatible');
  await page.getByLabel('ID', { exact: true }).fill('local');
  await page.getByLabel('Base URL').fill(`${upstream.url}/v1`);
  await page.getByLabel('API key', { exact: true }).fill('sk-any');
  await page.keyboard.press('Enter');
  await page.waitForURL(/management\/providers\/local$/);
}

test('a cost that nobody knows is unknown and never $0; its link gives the model a price, and the next request has a cost', async () => {
  harness.signInAs('admin');
  const { page, context, faults } = await openConsolePage(harness, '/o/acme/management/providers/new');
  await addProvider(page);
  const first = await ask('local/own', {});
  await page.goto(`${harness.url}/o/acme/requests?range=1h`);
  const cost = (id: string) => page.locator(`[data-row="${id}"] [data-column=cost]`);
  await cost(first).getByText('unknown').waitFor();
  assert.doesNotMatch((await cost(first).textContent()) ?? '', /\$/);
  await page.locator(`[data-row="${first}"] [data-column=time]`).click();
  await page.getByText('local/own has no price.').waitFor();
  await takeScreenshot(page, 'walk-16-desktop-light');
  await assertAccessible(page);
  await page.getByRole('link', { name: 'Set price' }).click();
  await page.getByRole('button', { name: 'Set price' }).click();
  await page.getByLabel('Input', { exact: true }).fill('3');
  await page.getByLabel('Output', { exact: true }).fill('15');
  await page.getByRole('button', { name: 'Save price' }).click();
  await page.getByText('Price saved.').first().waitFor();
  const second = await ask('local/own', {});
  await page.goto(`${harness.url}/o/acme/requests?range=1h`);
  // 1,000 tokens at 3 and 10 at 15 dollars for a million.
  await cost(second)
    .getByText('$0.0032', { exact: true })
    .or(cost(second).getByText('$0.0031', { exact: true }))
    .waitFor();
  await cost(first).getByText('unknown').waitFor();
  harness.signInAs('owner');
  assert.deepEqual(faults, []);
  await context.close();
});
